"""What a statement of each isolation level makes of rows that others commit after its base."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, replace

import pytest
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from support.invariants import Scope, check
from support.lakes import Lake, LakeFactory
from support.peer import Peer, committed_by_peers
from support.proxy import PostgresProxy, begins_a_commit

Register = Callable[..., str]
CONFLICT, COMMITTED = "DUCKLAKE_COMMIT_CONFLICT", "committed"
WAIT_SECONDS = 60
SETUP = (
    "CREATE TABLE t (a INTEGER, b INTEGER)",
    "INSERT INTO t SELECT i, 0 FROM range(100) AS r(i)",
    "INSERT INTO t VALUES (1000, 0)",
    "CREATE TABLE days (a INTEGER, day DATE)",
    "ALTER TABLE days SET PARTITIONED BY (day)",
    "INSERT INTO days SELECT i, DATE '2026-01-01' + CAST(i % 2 AS INTEGER) FROM range(100) AS r(i)",
)
UPDATE = "UPDATE {c}.t SET b = 9 WHERE a < 15"
DELETE = "DELETE FROM {c}.t WHERE a BETWEEN 3 AND 9"
BY_CATALOG = "DELETE FROM {c}.t WHERE a < 100"
OF_A_DAY = "DELETE FROM {c}.days WHERE day = DATE '2026-01-01' AND a < 50"
SOURCE = "(SELECT CAST(200 + id AS INT) AS a FROM range(20))"
MERGE = (
    f"MERGE INTO {{c}}.t t USING {SOURCE} s ON t.a = s.a"
    " WHEN MATCHED THEN UPDATE SET b = 1 WHEN NOT MATCHED THEN INSERT (a, b) VALUES (s.a, 8)"
)
BOUNDED_MERGE = MERGE.replace("t.a = s.a", "t.a = s.a AND t.a BETWEEN 200 AND 300")
MATCHING_MERGE = (
    f"MERGE INTO {{c}}.t t USING {SOURCE.replace('200 + id', 'id')} s"
    " ON t.a = s.a AND t.a < 15 WHEN MATCHED THEN UPDATE SET b = 1"
)
INSERTING_MERGE = (
    f"MERGE INTO {{c}}.t t USING {SOURCE} s ON t.a = s.a"
    " WHEN NOT MATCHED THEN INSERT (a, b) VALUES (s.a, 8)"
)
REPLACE = "INSERT INTO {c}.t REPLACE WHERE a < 15 SELECT 5, 5"
FAR, NEAR = "INSERT INTO t VALUES (2000, 1)", "INSERT INTO t VALUES (5, 1)"
FAR_FILE = "INSERT INTO t SELECT i, 1 FROM range(2000, 2020) AS r(i)"
NEAR_FILE = "INSERT INTO t SELECT i, 1 FROM range(5, 25) AS r(i)"
NEAR_UPDATE = "UPDATE t SET a = 4 WHERE a = 50"
OTHER_ROWS = "DELETE FROM t WHERE a IN (30, 31)"
MANY_OTHER_ROWS = "DELETE FROM t WHERE a BETWEEN 30 AND 60"


@dataclass(frozen=True)
class Stage:
    """A lake whose Spark comes through a proxy."""

    spark: SparkSession
    proxy: PostgresProxy
    peer: Peer
    catalog: str

    def run(self, sql: str) -> str:
        """How a statement ends."""
        try:
            self.spark.sql(sql.replace("{c}", f"{self.catalog}.main")).collect()
        except PySparkException as error:
            return error.getCondition() or str(error)
        return COMMITTED

    def between(self, sql: str, *others: str) -> str:
        """How a statement ends when DuckDB commits after its base."""
        with self.proxy.held(begins_a_commit) as gate, ThreadPoolExecutor(1) as pool:
            running = pool.submit(self.run, sql)
            running.add_done_callback(lambda _: gate.open())
            gate.wait()
            self.peer.run(*others)
            gate.open()
            return running.result(timeout=WAIT_SECONDS)


StageOf = Callable[..., Stage]


@pytest.fixture
def stage_of(
    spark: SparkSession, lakes: LakeFactory, proxy: PostgresProxy, register: Register
) -> Iterator[StageOf]:
    """Makes a stage: with the level of the catalog key and that of the tables."""
    used: list[Lake] = []

    def made(of_catalog: str | None, of_table: str | None = None) -> Stage:
        lake = lakes.new("postgres")
        with Peer(lake) as peer:
            peer.run(*SETUP)
        options = {"isolation-level": of_catalog} if of_catalog else {}
        catalog = register(replace(lake, uri=proxy.uri(lake.database)), options)
        if of_table:
            for table in ("t", "days"):
                spark.sql(
                    f"ALTER TABLE {catalog}.main.{table}"
                    f" SET TBLPROPERTIES ('isolation-level' = '{of_table}')"
                )
        peer = stack.enter_context(Peer(lake))
        used.append(lake)
        return Stage(spark, proxy, peer, catalog)

    with ExitStack() as stack:
        yield made
    for lake in used:
        scope = Scope(frozenset(committed_by_peers[lake.uri]), is_free_of_orphans=True)
        assert check(lake, scope) == []


@pytest.mark.parametrize(
    ("sql", "others", "serializable"),
    [
        (UPDATE, FAR, COMMITTED),
        (UPDATE, FAR_FILE, COMMITTED),
        (UPDATE, NEAR, CONFLICT),
        (UPDATE, NEAR_FILE, CONFLICT),
        (UPDATE, NEAR_UPDATE, CONFLICT),
        (UPDATE, OTHER_ROWS, COMMITTED),
        (UPDATE, MANY_OTHER_ROWS, COMMITTED),
        (DELETE, FAR_FILE, COMMITTED),
        (DELETE, NEAR_FILE, CONFLICT),
        (DELETE, "ALTER TABLE t ADD COLUMN z INTEGER", CONFLICT),
        (BY_CATALOG, FAR_FILE, COMMITTED),
        (BY_CATALOG, NEAR, CONFLICT),
        (OF_A_DAY, "INSERT INTO days SELECT 1, DATE '2026-01-02' FROM range(20)", COMMITTED),
        (OF_A_DAY, "INSERT INTO days SELECT 1, DATE '2026-01-01' FROM range(20)", CONFLICT),
        (OF_A_DAY, "INSERT INTO days SELECT 60, DATE '2026-01-01' FROM range(20)", COMMITTED),
        (MERGE, FAR, CONFLICT),
        (MERGE, OTHER_ROWS, CONFLICT),
        (MERGE, MANY_OTHER_ROWS, CONFLICT),
        (MERGE, "DELETE FROM t WHERE a = 1000", CONFLICT),
        (MERGE, "INSERT INTO days VALUES (1, NULL)", COMMITTED),
        (MATCHING_MERGE, FAR_FILE, COMMITTED),
        (MATCHING_MERGE, NEAR_FILE, CONFLICT),
        (INSERTING_MERGE, FAR, CONFLICT),
    ],
)
def test_new_rows_end_a_serializable_statement_where_they_may_match(
    stage_of: StageOf, sql: str, others: str, serializable: str
) -> None:
    """At the other level they never do."""
    stage = stage_of("serializable")
    assert stage.between(sql, others) == serializable

    stage = stage_of("snapshot")
    assert stage.between(sql, others) == COMMITTED


@pytest.mark.parametrize("level", ["snapshot", "serializable"])
@pytest.mark.parametrize("merge", [MERGE, BOUNDED_MERGE, INSERTING_MERGE])
def test_two_merges_of_one_new_key_insert_it_twice_unless_they_are_serializable(
    stage_of: StageOf, merge: str, level: str
) -> None:
    stage = stage_of(level)
    theirs = "INSERT INTO t SELECT i, 7 FROM range(200, 220) AS r(i)"

    end = stage.between(merge, theirs)

    count = stage.peer.value("SELECT count(*) FROM t WHERE a BETWEEN 200 AND 219")
    expected = (COMMITTED, 40) if level == "snapshot" else (CONFLICT, 20)
    assert (end, count) == expected


@pytest.mark.parametrize(
    ("of_catalog", "of_table", "expected"),
    [
        (None, None, COMMITTED),
        ("serializable", None, CONFLICT),
        (None, "serializable", CONFLICT),
        ("serializable", "snapshot", COMMITTED),
        ("snapshot", "SERIALIZABLE", CONFLICT),
    ],
)
def test_the_level_of_a_table_has_precedence_over_that_of_the_catalog(
    stage_of: StageOf, of_catalog: str | None, of_table: str | None, expected: str
) -> None:
    stage = stage_of(of_catalog, of_table)
    assert stage.between(UPDATE, NEAR) == expected


def test_duckdb_lives_with_the_option(stage_of: StageOf) -> None:
    stage = stage_of(None, "serializable")
    options = stage.peer.rows(
        "SELECT option_name, value, scope FROM ducklake_options('lake')"
        " WHERE option_name = 'isolation-level' AND scope_entry = 'main.t'"
    )
    assert options == [("isolation-level", "serializable", "TABLE")]
    stage.peer.run(
        "ALTER TABLE t ADD COLUMN z INTEGER",
        "INSERT INTO t VALUES (5, 5, 5)",
        "CALL lake.set_option('target_file_size', '5MB', table_name => 't')",
        "CHECKPOINT lake",
    )
    shown = stage.spark.sql(f"SHOW TBLPROPERTIES {stage.catalog}.main.t").collect()
    assert dict(tuple(row) for row in shown)["isolation-level"] == "serializable"


@pytest.mark.parametrize(
    ("sql", "others", "end", "count"),
    [
        (REPLACE, FAR_FILE, COMMITTED, 107),
        (REPLACE, NEAR_FILE, CONFLICT, 121),
        (REPLACE, "DELETE FROM t WHERE a = 50", COMMITTED, 86),
        (REPLACE, "DELETE FROM t WHERE a = 5", CONFLICT, 100),
        (
            REPLACE.replace("{c}.t", "{c}.t WITH ('isolation-level' = 'snapshot')"),
            NEAR,
            COMMITTED,
            88,
        ),
        ("INSERT OVERWRITE {c}.t SELECT 5, 5", FAR, CONFLICT, 102),
        (
            "INSERT OVERWRITE {c}.t WITH ('isolation-level' = 'snapshot') SELECT 5, 5",
            FAR,
            COMMITTED,
            1,
        ),
        ("INSERT OVERWRITE {c}.t SELECT 5, 5 WHERE false", FAR, CONFLICT, 102),
        (
            "INSERT OVERWRITE {c}.t WITH ('isolation-level' = 'snapshot') SELECT 5, 5 WHERE false",
            FAR,
            COMMITTED,
            0,
        ),
        ("TRUNCATE TABLE {c}.t", FAR, COMMITTED, 0),
    ],
)
def test_an_overwrite_minds_new_rows_in_its_place_unless_told_otherwise(
    stage_of: StageOf, sql: str, others: str, end: str, count: int
) -> None:
    stage = stage_of(None)
    assert stage.between(sql, others) == end
    assert stage.peer.value("SELECT count(*) FROM t") == count


@pytest.mark.parametrize(
    ("statement", "text"),
    [
        (
            "INSERT INTO {c}.t WITH ('isolation-level' = 'snapshot') SELECT 5, 5",
            "replaces no rows",
        ),
        (
            "INSERT OVERWRITE {c}.t WITH ('isolation-level' = 'dirty') SELECT 5, 5",
            "snapshot or serializable",
        ),
        (
            "ALTER TABLE {c}.t SET TBLPROPERTIES ('isolation-level' = 'dirty')",
            "snapshot or serializable",
        ),
    ],
)
def test_a_level_that_means_nothing_is_refused(
    stage_of: StageOf, statement: str, text: str
) -> None:
    stage = stage_of(None)
    with pytest.raises(PySparkException, match=text):
        stage.spark.sql(statement.replace("{c}", f"{stage.catalog}.main"))


def test_a_level_of_a_catalog_that_does_not_exist_is_refused(
    spark: SparkSession, lakes: LakeFactory, register: Register
) -> None:
    catalog = register(lakes.new("sqlite"), {"isolation-level": "read-committed"})
    with pytest.raises(PySparkException, match="Write `snapshot` or `serializable`"):
        spark.sql(f"SHOW TABLES IN {catalog}.main").collect()
