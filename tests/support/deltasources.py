"""Tables of Delta for tests: made in one session of Spark with Delta's own connector.

`python -m support.deltasources <folder> <names>` makes the tables of `STATEMENTS` in
`<folder>/tables`. In `<folder>/expected` are their rows, as the connector reads them, in plain
Parquet; of the named ones also the rows and the times of each version. `random 7` is the random
history with the seed 7, which is made when it is named.
"""

from __future__ import annotations

import datetime as dt
import json
import os
import subprocess
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from pyspark.sql import SparkSession

from support.deltahistories import DeltaHistory
from support.session import INTERPRETED
from support.sweep import FIRST_HISTORY, MOVED_HISTORIES

MAPPED = "'delta.columnMapping.mode' = 'name'"
RANDOM = "random "
VECTORS = "'delta.enableDeletionVectors' = 'true'"

STATEMENTS: dict[str, tuple[str, ...]] = {
    "types": (
        "CREATE TABLE {t} (flag BOOLEAN, byte TINYINT, small SMALLINT, whole INT, long BIGINT, "
        "single FLOAT, double DOUBLE, money DECIMAL(12, 3), large DECIMAL(30, 2), day DATE, "
        "instant TIMESTAMP, local TIMESTAMP_NTZ, text STRING, bytes BINARY, "
        "s STRUCT<a: INT, at: TIMESTAMP>, l ARRAY<STRUCT<x: INT>>, m MAP<STRING, BIGINT>) "
        "USING delta",
        "INSERT INTO {t} VALUES (true, 1, -2, 3, 1099511627776, 0.5, -1e300, 1.234, "
        "12345678901234567890.12, DATE'1969-12-31', TIMESTAMP'2021-06-01 01:02:03.000004', "
        "TIMESTAMP_NTZ'2020-02-29 23:59:59.999999', 'Ünï', X'00FF', "
        "NAMED_STRUCT('a', 1, 'at', TIMESTAMP'1970-01-01 00:00:00'), "
        "ARRAY(NAMED_STRUCT('x', 1), NULL), MAP('k', 1L, 'n', NULL))",
        "INSERT INTO {t} (whole) VALUES (4), (5)",
    ),
    "bare types": (
        "CREATE TABLE {t} (small SMALLINT, double DOUBLE, large DECIMAL(30, 2), day DATE, "
        "local TIMESTAMP_NTZ, bytes BINARY, s STRUCT<a: INT, b: STRUCT<c: STRING>>, "
        "l ARRAY<ARRAY<INT>>, m MAP<INT, ARRAY<STRUCT<x: INT, y: STRING>>>) USING delta",
        "INSERT INTO {t} VALUES (1, double('NaN'), -1.5, DATE'0001-01-01', "
        "TIMESTAMP_NTZ'1900-01-01 00:00:00', X'', NAMED_STRUCT('a', 1, 'b', "
        "NAMED_STRUCT('c', 'x')), ARRAY(ARRAY(1, NULL), NULL, ARRAY()), "
        "MAP(1, ARRAY(NAMED_STRUCT('x', 1, 'y', 'z'), NULL)))",
        "INSERT INTO {t} (small) VALUES (4), (NULL)",
    ),
    "partitioned": (
        "CREATE TABLE {t} (id INT, p STRING, d DATE, n BIGINT, flag BOOLEAN, m DECIMAL(6, 2), "
        "f DOUBLE, local TIMESTAMP_NTZ) USING delta PARTITIONED BY (p, d, n, flag, m, f, local)",
        "INSERT INTO {t} VALUES (1, 'a b/c%=é', DATE'2020-01-01', -7, true, 1.50, 0.1, "
        "TIMESTAMP_NTZ'2020-01-01 01:02:03.5'), (2, NULL, NULL, NULL, NULL, NULL, NULL, NULL), "
        "(3, '007', DATE'1969-12-31', 8, false, -2, 1e300, TIMESTAMP_NTZ'1969-12-31 23:59:59'), "
        "(4, '', DATE'2020-01-01', 1, true, 0, 0, TIMESTAMP_NTZ'2020-01-01 00:00:00')",
        "INSERT INTO {t} SELECT 5, '%41', DATE'2020-01-01', 1, true, 0, 0, "
        "TIMESTAMP_NTZ'2020-01-01 00:00:00'",
    ),
    "instants": (
        "CREATE TABLE {t} (id INT, at TIMESTAMP) USING delta PARTITIONED BY (at)",
        "INSERT INTO {t} VALUES (1, TIMESTAMP'2020-01-01 01:02:03.000004'), (2, NULL)",
    ),
    "mapped": (
        "CREATE TABLE {t} (id INT, name STRING, gone STRING, p STRING, "
        "s STRUCT<a: INT, b: STRING>, l ARRAY<STRUCT<x: INT, y: INT>>, "
        "m MAP<STRING, STRUCT<v: INT>>) USING delta "
        f"PARTITIONED BY (p) TBLPROPERTIES ({MAPPED}, {VECTORS})",
        "INSERT INTO {t} SELECT id, 'n' || id, 'x', IF(id % 2 = 0, 'a b/c', NULL), "
        "NAMED_STRUCT('a', id, 'b', 'x'), ARRAY(NAMED_STRUCT('x', id, 'y', 1)), "
        "MAP('k', NAMED_STRUCT('v', id)) FROM RANGE(10)",
        "ALTER TABLE {t} RENAME COLUMN name TO label",
        "ALTER TABLE {t} RENAME COLUMN s.a TO first",
        "ALTER TABLE {t} RENAME COLUMN l.element.x TO z",
        "ALTER TABLE {t} DROP COLUMN gone",
        "ALTER TABLE {t} ADD COLUMN gone INT",
        "ALTER TABLE {t} RENAME COLUMN p TO part",
        "DELETE FROM {t} WHERE id IN (3, 4)",
        "INSERT INTO {t} SELECT 20, 'new', 'q', NAMED_STRUCT('first', 1, 'b', 'y'), "
        "ARRAY(NAMED_STRUCT('z', 5, 'y', 2)), MAP('j', NAMED_STRUCT('v', 1)), 7",
    ),
    "by ids": (
        "CREATE TABLE {t} (id INT, name STRING, old STRING, l ARRAY<STRUCT<x: INT>>) USING delta "
        f"TBLPROPERTIES ('delta.columnMapping.mode' = 'id', {VECTORS})",
        "INSERT INTO {t} SELECT id, 'n' || id, 'o', ARRAY(NAMED_STRUCT('x', id)) FROM RANGE(5)",
        "ALTER TABLE {t} RENAME COLUMN name TO label",
        "ALTER TABLE {t} DROP COLUMN old",
        "DELETE FROM {t} WHERE id = 3",
        "UPDATE {t} SET label = 'changed' WHERE id = 1",
    ),
    "upgraded": (
        "CREATE TABLE {t} (id INT, name STRING, p INT) USING delta PARTITIONED BY (p)",
        "INSERT INTO {t} VALUES (1, 'a', 1), (2, 'b', NULL)",
        f"ALTER TABLE {{t}} SET TBLPROPERTIES ({MAPPED})",
        "ALTER TABLE {t} RENAME COLUMN name TO p2",
        "ALTER TABLE {t} RENAME COLUMN p TO name",
        "INSERT INTO {t} VALUES (3, 'c', 3), (4, 'd', NULL)",
    ),
    "widened": (
        "CREATE TABLE {t} (a TINYINT, b SMALLINT, c FLOAT, d DECIMAL(6, 2), "
        "s STRUCT<x: INT>) USING delta TBLPROPERTIES ('delta.enableTypeWidening' = 'true')",
        "INSERT INTO {t} VALUES (1, -2, 0.1, 1.25, NAMED_STRUCT('x', 5)), (NULL, 3, 2, 2, NULL)",
        "ALTER TABLE {t} ALTER COLUMN a TYPE INT",
        "ALTER TABLE {t} ALTER COLUMN b TYPE BIGINT",
        "ALTER TABLE {t} ALTER COLUMN c TYPE DOUBLE",
        "ALTER TABLE {t} ALTER COLUMN d TYPE DECIMAL(12, 4)",
        "ALTER TABLE {t} ALTER COLUMN s.x TYPE BIGINT",
        "INSERT INTO {t} VALUES (70000, 1099511627776, 1e300, 12345678.1234, "
        "NAMED_STRUCT('x', 1099511627776))",
    ),
    "widened to doubles": (
        "CREATE TABLE {t} (a INT) USING delta TBLPROPERTIES ('delta.enableTypeWidening' = 'true')",
        "INSERT INTO {t} VALUES (1)",
        "ALTER TABLE {t} ALTER COLUMN a TYPE DOUBLE",
    ),
    "checkpointed": (
        f"CREATE TABLE {{t}} (id INT) USING delta TBLPROPERTIES ({VECTORS}, "
        "'delta.checkpointInterval' = '2', 'delta.checkpointPolicy' = 'v2')",
        "INSERT INTO {t} SELECT id FROM RANGE(100)",
        "INSERT INTO {t} SELECT id + 100 FROM RANGE(10)",
        "DELETE FROM {t} WHERE id % 7 = 0",
        "DELETE FROM {t} WHERE id % 5 = 0",
        "INSERT INTO {t} VALUES (1000)",
    ),
    "defined": (
        "CREATE TABLE {t} (id INT NOT NULL, twice INT GENERATED ALWAYS AS (id * 2), "
        "number BIGINT GENERATED ALWAYS AS IDENTITY, code VARCHAR(3)) USING delta "
        "CLUSTER BY (id) TBLPROPERTIES ('delta.enableRowTracking' = 'true')",
        "ALTER TABLE {t} ADD CONSTRAINT positive CHECK (id > 0)",
        "INSERT INTO {t} (id, code) VALUES (1, 'a'), (2, 'b')",
        "UPDATE {t} SET code = 'c' WHERE id = 2",
    ),
    "evolved": (
        "CREATE TABLE {t} (id INT, s STRUCT<a: INT, l: ARRAY<STRUCT<x: INT>>>, m MAP<STRING, INT>) "
        "USING delta TBLPROPERTIES ('delta.enableTypeWidening' = 'true')",
        "INSERT INTO {t} SELECT id, NAMED_STRUCT('a', id, 'l', ARRAY(NAMED_STRUCT('x', id))), "
        "MAP('k', id) FROM RANGE(5)",
        "ALTER TABLE {t} ADD COLUMN (name STRING COMMENT 'new' FIRST, s.b STRING FIRST)",
        "ALTER TABLE {t} ADD COLUMN (s.l.element.y INT)",
        "INSERT INTO {t} VALUES ('n', 7, NAMED_STRUCT('b', 'b', 'a', 1, 'l', "
        "ARRAY(NAMED_STRUCT('x', 1, 'y', 2), NULL)), NULL)",
        "ALTER TABLE {t} ALTER COLUMN s.a TYPE BIGINT",
        "ALTER TABLE {t} ALTER COLUMN id AFTER m",
        "DELETE FROM {t} WHERE id = 3",
        "INSERT INTO {t} VALUES ('m', NAMED_STRUCT('b', 'b', 'a', 1099511627776, 'l', NULL), "
        "MAP('j', 1), 8)",
        "OPTIMIZE {t}",
    ),
    "restored": (
        f"CREATE TABLE {{t}} (id INT, name STRING, s STRUCT<a: INT, b: INT>) USING delta "
        f"TBLPROPERTIES ({MAPPED}, {VECTORS})",
        "INSERT INTO {t} SELECT id, 'n' || id, NAMED_STRUCT('a', id, 'b', -id) FROM RANGE(10)",
        "DELETE FROM {t} WHERE id IN (3, 4)",
        "INSERT INTO {t} SELECT 20, 'x', NULL",
        "ALTER TABLE {t} DROP COLUMN name",
        "ALTER TABLE {t} DROP COLUMN s.b",
        "DELETE FROM {t} WHERE id = 5",
        "RESTORE TABLE {t} TO VERSION AS OF 1",
        "DELETE FROM {t} WHERE id IN (5, 6)",
        "RESTORE TABLE {t} TO VERSION AS OF 3",
        "DELETE FROM {t} WHERE id < 9",
        "RESTORE TABLE {t} TO VERSION AS OF 8",
    ),
    "stamped": (
        "CREATE TABLE {t} (id INT, at TIMESTAMP, s STRUCT<at: TIMESTAMP>) USING delta "
        f"TBLPROPERTIES ({MAPPED}, {VECTORS})",
        "INSERT INTO {t} SELECT id, TIMESTAMP_SECONDS(id * 100000), "
        "NAMED_STRUCT('at', TIMESTAMP_MICROS(-id)) FROM RANGE(20)",
        "INSERT INTO {t} SELECT id + 20, NULL, NULL FROM RANGE(2)",
        "DELETE FROM {t} WHERE id % 5 = 0",
        "ALTER TABLE {t} ADD COLUMN (more TIMESTAMP)",
        "UPDATE {t} SET more = TIMESTAMP'2020-02-29 23:59:59.999999' WHERE id IN (1, 2)",
        "DELETE FROM {t} WHERE id % 3 = 0",
        "OPTIMIZE {t}",
        "DELETE FROM {t} WHERE id < 8",
    ),
    "undropped": (
        f"CREATE TABLE {{t}} (id INT, name STRING, s STRUCT<a: INT, b: INT>) USING delta "
        f"TBLPROPERTIES ({MAPPED})",
        "INSERT INTO {t} SELECT id, 'n' || id, NAMED_STRUCT('a', id, 'b', -id) FROM RANGE(5)",
        "ALTER TABLE {t} DROP COLUMN name",
        "ALTER TABLE {t} DROP COLUMN s.b",
        "RESTORE TABLE {t} TO VERSION AS OF 1",
    ),
    "old calendar": (
        "SET spark.sql.parquet.datetimeRebaseModeInWrite = LEGACY",
        "SET spark.sql.parquet.int96RebaseModeInWrite = LEGACY",
        "CREATE TABLE {t} (id INT, day DATE, at TIMESTAMP, s STRUCT<day: DATE>) USING delta "
        f"TBLPROPERTIES ({VECTORS})",
        "INSERT INTO {t} SELECT id, IF(id = 0, DATE'0001-01-01', NULL), NULL, "
        "NAMED_STRUCT('day', DATE'1582-10-04') FROM RANGE(5)",
        "INSERT INTO {t} SELECT 7, NULL, TIMESTAMP'1001-02-03 04:05:06', NULL",
        "DELETE FROM {t} WHERE id = 3",
        "SET spark.sql.parquet.datetimeRebaseModeInWrite = CORRECTED",
        "SET spark.sql.parquet.int96RebaseModeInWrite = CORRECTED",
    ),
    "variants": (
        "CREATE TABLE {t} (id INT, v VARIANT) USING delta",
        "INSERT INTO {t} SELECT 1, PARSE_JSON('1')",
    ),
    "cloned": (
        "CREATE TABLE {t} SHALLOW CLONE delta.`{folder}/by ids`",
        "INSERT INTO {t} SELECT 10, 'own', NULL",
    ),
}


HISTORIES = tuple(f"{RANDOM}{FIRST_HISTORY + n}" for n in range(MOVED_HISTORIES))
_GROWN = ("mapped", "by ids", "upgraded", "widened", "checkpointed", "partitioned", "evolved")
FOLLOWED = (*_GROWN, "stamped", "undropped", *HISTORIES)
"""Tables whose versions are moved one after the other."""

BROUGHT = (*_GROWN, "types", "restored", *HISTORIES)
"""Tables that are moved with their history."""


@dataclass(frozen=True)
class DeltaSources:
    """The tables of a folder, by name."""

    folder: Path

    def table(self, name: str) -> str:
        """The folder of a table."""
        return f"{self.folder}/tables/{name}"

    def times(self, name: str) -> dict[int, tuple[dt.datetime, str]]:
        """When each version of a table was made, and by what, as the connector describes it."""
        told = json.loads(Path(f"{self.folder}/expected/{name}.json").read_text())
        return {
            version: (dt.datetime.fromtimestamp(millis / 1000, dt.timezone.utc), operation)
            for version, millis, operation in told
        }

    def expected(self, name: str, version: int | None = None) -> str:
        """The pattern of Parquet files that have the rows of a table, or of one of its versions."""
        return f"{self.folder}/expected/{_rows_of(name, version)}/*.parquet"


def _statements(name: str) -> tuple[str, ...]:
    if name.startswith(RANDOM):
        return DeltaHistory(int(name.removeprefix(RANDOM))).statements()
    return STATEMENTS[name]


def _rows_of(name: str, version: int | None) -> str:
    return name if version is None else f"{name}.{version}"


def make(folder: Path, python: str, jars: str, names: Iterable[str]) -> DeltaSources:
    """Makes the tables in another process.

    Args:
        folder: in which the tables are made.
        python: an interpreter with a Spark that the connector is for.
        jars: of Delta's connector, divided by commas.
        names: of tables whose versions are asked for.
    """
    command = [python, "-m", "support.deltasources", str(folder), *sorted(names)]
    top = Path(__file__).parents[2]
    paths = os.pathsep.join(str(top / each) for each in ("tests", "python/src"))
    environment = os.environ | {"DUCKLAKE_DELTA_JARS": jars, "PYTHONPATH": paths}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(done.stderr[-4000:])
    return DeltaSources(folder)


def _session() -> SparkSession:
    delta = "org.apache.spark.sql.delta.catalog.DeltaCatalog"
    builder = SparkSession.builder.master("local[1]")
    for key, value in INTERPRETED.items():
        builder = builder.config(key, value)
    return (
        builder.config("spark.jars", os.environ["DUCKLAKE_DELTA_JARS"])
        .config("spark.sql.extensions", "io.delta.sql.DeltaSparkSessionExtension")
        .config("spark.sql.catalog.spark_catalog", delta)
        .config("spark.sql.session.timeZone", "UTC")
        .config("spark.ui.enabled", "false")
        .config("spark.sql.shuffle.partitions", "1")
        .config("spark.databricks.delta.snapshotPartitions", "1")
        .getOrCreate()
    )


def main(folder: str, versioned: Sequence[str]) -> None:
    """Makes tables and their expected rows."""
    spark = _session()
    for name in (*STATEMENTS, *(each for each in versioned if each not in STATEMENTS)):
        path = f"{folder}/tables/{name}"
        for statement in _statements(name):
            spark.sql(statement.format(t=f"delta.`{path}`", folder=f"{folder}/tables"))
        spark.conf.set("spark.sql.parquet.outputTimestampType", "TIMESTAMP_MICROS")
        newest = len(list(Path(path, "_delta_log").glob("[0-9]" * 20 + ".json"))) - 1
        older = range(newest + 1) if name in versioned else ()
        for version in (None, *older) if name != "variants" else ():
            reader = spark.read.format("delta")
            if version is not None:
                reader = reader.option("versionAsOf", version)
            rows = f"{folder}/expected/{_rows_of(name, version)}"
            reader.load(path).coalesce(1).write.parquet(rows)
        spark.conf.unset("spark.sql.parquet.outputTimestampType")
        if name in versioned:
            _describe(spark, path, Path(f"{folder}/expected/{name}.json"))


def _describe(spark: SparkSession, path: str, target: Path) -> None:
    described = spark.sql(f"DESCRIBE HISTORY delta.`{path}`")
    told = described.selectExpr("version", "unix_millis(timestamp)", "operation").collect()
    target.write_text(json.dumps([tuple(row) for row in told]))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
