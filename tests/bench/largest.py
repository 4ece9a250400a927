"""The size of the largest lakes: very many tables, snapshots and files beside a small lake.

Scale 1 is 59 000 tables, 15 M snapshots, 10 M data files and 113 000 empty inlined tables, made by
SQL in the catalog database; no file is written but those of the measured commits.
"""

from __future__ import annotations

import shutil
import sqlite3
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import psycopg
from pyspark.sql import SparkSession

from bench import data, heap, planning, synthetic
from support.lakes import CatalogKind, Lake, describe
from support.postgres import PostgresServer

TABLES, SNAPSHOTS, FILES, INLINED = 59_000, 15_000_000, 10_000_000, 113_000
_SMALL = 1 / 5_900
"""The scale of the small lake: ten tables."""

_KINDS: tuple[CatalogKind, ...] = ("sqlite", "postgres")
_COLUMNS = 4
_WARM_UPS, _RUNS = 4, 9
_TABLES_AT_ONCE = 500

_INDEXES = (
    "ducklake_data_file (table_id)",
    "ducklake_delete_file (table_id)",
    "ducklake_file_column_stats (table_id, column_id)",
    "ducklake_file_partition_value (table_id)",
)
"""Those that the guide to PostgreSQL names."""

_BEGIN = "(2 + n + n / 2)"
"""The snapshot that added file n; every third snapshot adds none."""

_FIRST_DAY = 1_735_689_600
"""The seconds of 2025 in Unix time; a snapshot is made every two seconds from then on."""


def largest(scale: float) -> None:
    """What people wait for, in a small lake and in a very large one."""
    with PostgresServer({"shared_buffers": "512MB"}) as server:
        lakes = {
            f"{kind}_{size}": _made(kind, server, of, indexed=size == "indexed")
            for kind in _KINDS
            for size, of in (("small", _SMALL), ("large", scale), ("indexed", scale))
        }
        spark = planning.session(lakes)
        print(f"\n### scale {scale:g} beside ten tables, driver memory 1 GB, ms (medians)\n")
        print("| catalog | what | small | large | ratio | with indexes | ratio |")
        print("|---|---|---:|---:|---:|---:|---:|")
        for kind in _KINDS:
            for what, action in _actions().items():
                small = _median(spark, action, f"{kind}_small", int(TABLES * _SMALL))
                large, indexed = (
                    _median(spark, action, f"{kind}_{size}", int(TABLES * scale))
                    for size in ("large", "indexed")
                )
                print(
                    f"| {kind} | {what} | {small:.0f} | {large:.0f} | {large / small:.2f} "
                    f"| {indexed:.0f} | {indexed / small:.2f} |",
                    flush=True,
                )
        spark.stop()


def largest_upkeep(scale: float) -> None:
    """`expire_snapshots` of nine tenths of a very large lake, and the files that it schedules."""
    snapshots = int(SNAPSHOTS * scale)
    with PostgresServer({"shared_buffers": "512MB"}) as server:
        spark = planning.session({kind: _made(kind, server, scale) for kind in _KINDS})
        print(f"\n### scale {scale:g}, driver memory 1 GB\n")
        print("| catalog | call | rows | s | MB at most |\n|---|---|---:|---:|---:|")
        for kind in _KINDS:
            (row,) = spark.sql(
                f"SELECT snapshot_time FROM {kind}.system.snapshots "
                f"WHERE snapshot_id = {snapshots * 9 // 10}"
            ).collect()
            past = f"CALL {kind}.system.expire_snapshots(older_than => TIMESTAMP '{row[0]}')"
            files = f"CALL {kind}.system.cleanup_old_files(cleanup_all => true)"
            for call in (past, files):
                with heap.peak(spark) as used:
                    rows = spark.sql(call).count()
                name = call.split("(")[0].split(".")[-1]
                megabytes = used.bytes / heap.MEGABYTE
                print(f"| {kind} | {name} | {rows} | {used.seconds:.1f} | {megabytes:.0f} |")
        spark.stop()


Action = Callable[[SparkSession, str, str], object]
"""What is measured: of a lake's name and the name of one of its tables."""


def _actions() -> dict[str, Action]:
    def text(query: str) -> Action:
        return lambda spark, lake, table: spark.sql(
            query.format(lake=lake, table=f"{lake}.main.{table}")
        ).collect()

    return {
        "commit of inlined rows": text("INSERT INTO {table} VALUES (1, 2, 3, 4)"),
        "commit of a file": lambda spark, lake, table: (
            spark.range(0, 20, 1, 1)
            .selectExpr("id", "id AS c01", "id AS c02", "id AS c03")
            .writeTo(f"{lake}.main.{table}")
            .append()
        ),
        "DELETE beside other commits": text("DELETE FROM {table} WHERE id = -5"),
        "the table is opened": lambda spark, lake, table: (
            spark.table(f"{lake}.main.{table}").columns
        ),
        "plan of one file": lambda spark, lake, table: planning.tasks_of(
            spark.sql(f"SELECT * FROM {lake}.main.{table} WHERE id = 500")._jdf.queryExecution()
        ),
        "SHOW TABLES LIKE": text("SHOW TABLES IN {lake}.main LIKE 't1'"),
        "SHOW TABLES": text("SHOW TABLES IN {lake}.main"),
        "snapshots LIMIT": text("SELECT * FROM {lake}.system.snapshots LIMIT 10"),
        "the newest snapshots": text(
            "SELECT * FROM {lake}.system.snapshots ORDER BY snapshot_id DESC LIMIT 10"
        ),
        "snapshots by id": text(
            "SELECT * FROM {lake}.system.snapshots WHERE snapshot_id BETWEEN 20 AND 29"
        ),
        "snapshots by time": text(
            "SELECT * FROM {lake}.system.snapshots WHERE snapshot_time BETWEEN "
            "TIMESTAMP '2025-01-01 00:00:30+00:00' AND TIMESTAMP '2025-01-01 00:00:50+00:00'"
        ),
        "time travel by time": text(
            "SELECT count(*) FROM {table} TIMESTAMP AS OF '2025-01-01 00:00:40+00:00'"
        ),
        "snapshots of a table LIMIT": text("SELECT * FROM {table}.snapshots LIMIT 1"),
        "options": text("SELECT * FROM {lake}.system.options"),
    }


def _median(spark: SparkSession, action: Action, lake: str, tables: int) -> float:
    """Milliseconds; each run takes another table."""
    times = []
    for run in range(_WARM_UPS + _RUNS):
        start = time.perf_counter()
        action(spark, lake, f"t{run % tables}")
        times.append((time.perf_counter() - start) * 1000)
    return statistics.median(times[_WARM_UPS:])


def _made(
    kind: CatalogKind, server: PostgresServer, scale: float, *, indexed: bool = False
) -> Lake:
    """A lake of this scale, with or without indexes."""
    home = data.ROOT / "largest" / f"{kind}-{scale:g}{'-indexed' if indexed else ''}"
    shutil.rmtree(home, ignore_errors=True)
    home.mkdir(parents=True)
    database = server.create_database() if kind == "postgres" else ""
    lake = describe(kind, home, database, server)
    inlined = [
        f"CREATE TABLE ducklake_inlined_data_{number}_{version} (row_id BIGINT, "
        "begin_snapshot BIGINT, end_snapshot BIGINT, id BIGINT, c01 BIGINT, c02 BIGINT, c03 BIGINT)"
        for number in range(1000, 1000 + int(TABLES * scale))
        for version in (1, 2)
    ][: int(INLINED * scale)]
    indexes = [
        f"CREATE INDEX largest_{number} ON {columns}"
        for number, columns in enumerate(_INDEXES if indexed else ())
    ]
    if kind == "postgres":
        address = server.keywords(database)
        synthetic.make_postgres(address, int(FILES * scale), _filling(scale, postgres=True))
        with psycopg.connect(address, autocommit=True) as connection:
            for first in range(0, len(inlined), _TABLES_AT_ONCE):
                connection.execute(";".join(inlined[first : first + _TABLES_AT_ONCE]).encode())
            connection.execute(";".join(indexes).encode())
            connection.execute(b"ANALYZE")
    else:
        synthetic.make_sqlite(
            Path(lake.database), int(FILES * scale), _filling(scale, postgres=False)
        )
        with sqlite3.connect(lake.database) as database_file:
            database_file.executescript(";".join(inlined + indexes))
    return lake


@dataclass(frozen=True)
class _Filling:
    """Makes tables t0, t1, … like `points` with its first columns, and all that is theirs."""

    scale: float
    postgres: bool
    files: int
    execute: synthetic.Execute

    @property
    def tables(self) -> int:
        """How many tables there are."""
        return int(TABLES * self.scale)

    @property
    def snapshots(self) -> int:
        """How many snapshots there are."""
        return int(SNAPSHOTS * self.scale)

    def run(self) -> None:
        """Adds all rows."""
        self._add_tables()
        self._add_files()
        self._add_statistics()
        self._add_inlined_tables()
        self._add_snapshots()

    def _many(self, sql: str, count: int) -> None:
        """Runs a statement with `{count}` as a table of so many numbers."""
        if self.postgres:
            numbers = f"generate_series(0, {count - 1}) AS t(n)"
        else:
            numbers = (
                "(WITH RECURSIVE t(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM t "
                f"WHERE n < {count - 1}) SELECT n FROM t)"
            )
        self.execute(sql.replace("{count}", numbers))

    def _add_tables(self) -> None:
        points = "(SELECT MAX(table_id) FROM ducklake_table WHERE table_name = 'points')"
        uuid = "::uuid" if self.postgres else ""
        self._many(
            "INSERT INTO ducklake_table (table_id, table_uuid, begin_snapshot, schema_id, "
            "table_name, path, path_is_relative) SELECT 1000 + n, "
            f"('00000000-0000-7000-8000-' || (100000000000 + n)){uuid}, 1, schema_id, 't' || n, "
            "'t' || n || '/', {true} FROM ducklake_table, {count} WHERE table_name = 'points'",
            self.tables,
        )
        self._many(
            "INSERT INTO ducklake_column (column_id, begin_snapshot, table_id, column_order, "
            "column_name, column_type, nulls_allowed) SELECT column_id, 1, 1000 + n, column_order, "
            "column_name, column_type, nulls_allowed FROM ducklake_column, {count} "
            f"WHERE table_id = {points} AND column_id <= {_COLUMNS}",
            self.tables,
        )

    def _add_files(self) -> None:
        """The first columns are sorted in each table; one file in eight was replaced."""
        table, ordinal = f"1000 + n % {self.tables}", f"(n / {self.tables})"
        self.execute(
            "INSERT INTO ducklake_data_file (data_file_id, table_id, begin_snapshot, end_snapshot, "
            "path, path_is_relative, file_format, record_count, file_size_bytes, footer_size, "
            f"row_id_start) SELECT n, {table}, {_BEGIN}, "
            f"CASE WHEN n % 8 = 0 THEN {_BEGIN} + {max(1, self.snapshots // 100)} END, "
            "'ducklake-00000000-0000-7000-8000-' || n || '.parquet', {true}, 'parquet', 1000, "
            f"65536, 1200, {ordinal} * 1000 FROM {{numbers}}"
        )
        for column in range(1, _COLUMNS + 1):
            self.execute(
                "INSERT INTO ducklake_file_column_stats (data_file_id, table_id, column_id, "
                "column_size_bytes, value_count, null_count, min_value, max_value) SELECT n, "
                f"{table}, {column}, 4096, 1000, 0, CAST({ordinal} * 1000 AS VARCHAR), "
                f"CAST({ordinal} * 1000 + 999 AS VARCHAR) FROM {{numbers}}"
            )

    def _add_statistics(self) -> None:
        each = self.files // self.tables + 1
        for column in range(1, _COLUMNS + 1):
            self._many(
                "INSERT INTO ducklake_table_column_stats (table_id, column_id, contains_null, "
                f"min_value, max_value) SELECT 1000 + n, {column}, {{false}}, '0', "
                f"'{1000 * self.files}' FROM {{count}}",
                self.tables,
            )
        self._many(
            f"INSERT INTO ducklake_table_stats SELECT 1000 + n, {1000 * each}, {1000 * each}, "
            f"{65536 * each} FROM {{count}}",
            self.tables,
        )

    def _add_inlined_tables(self) -> None:
        for version in (1, 2):
            self._many(
                "INSERT INTO ducklake_schema_versions (begin_snapshot, schema_version, table_id) "
                f"SELECT 1, {version}, 1000 + n FROM {{count}}",
                self.tables,
            )
            self._many(
                "INSERT INTO ducklake_inlined_data_tables (table_id, table_name, schema_version) "
                f"SELECT 1000 + n, 'ducklake_inlined_data_' || (1000 + n) || '_{version}', "
                f"{version} FROM {{count}}",
                self.tables if version == 1 else int(INLINED * self.scale) - self.tables,
            )

    def _add_snapshots(self) -> None:
        moment = (
            f"to_timestamp({_FIRST_DAY} + 2 * n)"
            if self.postgres
            else f"strftime('%Y-%m-%d %H:%M:%S+00', {_FIRST_DAY} + 2 * n, 'unixepoch')"
        )
        self._many(
            "INSERT INTO ducklake_snapshot_changes (snapshot_id, changes_made) SELECT 2 + n, "
            f"'inserted_into_table:' || (1000 + n % {self.tables}) FROM {{count}}",
            self.snapshots,
        )
        self._many(
            "INSERT INTO ducklake_snapshot (snapshot_id, snapshot_time, schema_version, "
            f"next_catalog_id, next_file_id) SELECT 2 + n, {moment}, 2, {1000 + self.tables}, "
            f"{self.files} FROM {{count}}",
            self.snapshots,
        )
        self.execute(
            "UPDATE ducklake_snapshot SET snapshot_time = '2024-12-31 00:00:00+00' "
            "WHERE snapshot_id < 2"
        )


def _filling(scale: float, *, postgres: bool) -> synthetic.Fill:
    return lambda files, execute: _Filling(scale, postgres, files, execute).run()
