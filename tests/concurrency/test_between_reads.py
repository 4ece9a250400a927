"""A compaction between any two reads of a statement: rows lie elsewhere then, and none is lost.

A statement reads the catalog in several transactions. Before each of them in turn DuckDB flushes or
merges, which changes the files that the statement's snapshot has, but not one row.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace

import pytest
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from support.invariants import Scope, check
from support.lakes import Lake, LakeFactory
from support.peer import Peer, committed_by_peers
from support.proxy import Matcher, PostgresProxy
from support.sweep import FULL

CONFLICT = "DUCKLAKE_COMMIT_CONFLICT"
COMPACTIONS = {
    "flush": "CALL ducklake_flush_inlined_data('lake', table_name => 't{n}')",
    "merge": "CALL ducklake_merge_adjacent_files('lake', 't{n}')",
}
OTHERS = {
    **COMPACTIONS,
    "hidden delete": "DELETE FROM t{n} WHERE a BETWEEN 242 AND 255",
    "another type": "ALTER TABLE t{n} ALTER COLUMN a SET DATA TYPE BIGINT",
}
MADE = """BEGIN;
CREATE TABLE t{n} (a INTEGER, p INTEGER);
ALTER TABLE t{n} SET PARTITIONED BY (p);
INSERT INTO t{n} SELECT i, 0 FROM range(100) AS r(i);
INSERT INTO t{n} SELECT i, 0 FROM range(100, 200) AS r(i);
INSERT INTO t{n} SELECT i, 1 FROM range(200, 260) AS r(i);
COMMIT;
BEGIN;
DELETE FROM t{n} WHERE a BETWEEN 220 AND 240;
DELETE FROM t{n} WHERE a IN (205, 206);
INSERT INTO t{n} VALUES (1000, 0), (1001, 1), (1002, 0);
COMMIT;
DELETE FROM t{n} WHERE a = 1002"""
STRIDE = 1 if FULL else 2
"""A compaction comes before every read, or before every second one."""
Rows = set[tuple[int, int]]
BEFORE: Rows = {
    *((i, 0) for i in (*range(200), 1000)),
    *((i, 1) for i in (*range(200, 260), 1001) if not (220 <= i <= 240 or i in (205, 206))),
}
READS = {
    "scan": ("SELECT a, p FROM {t}", BEFORE),
    "filter": ("SELECT a, p FROM {t} WHERE a > 190", {(a, p) for a, p in BEFORE if a > 190}),
    "counts": ("SELECT count(*), count(a) FROM {t}", {(len(BEFORE), len(BEFORE))}),
    "bounds": ("SELECT min(a), max(a) FROM {t}", {(0, 1001)}),
    "join": (
        "SELECT t.a, t.p FROM {t} t JOIN {d} d ON t.p = d.p WHERE d.name = 'x'",
        {(a, p) for a, p in BEFORE if p == 0},
    ),
}
WRITES = {
    "delete of few": ("DELETE FROM {t} WHERE a IN (3, 103, 1000)", {3, 103, 1000}, {}),
    "delete of many": ("DELETE FROM {t} WHERE a < 150", set(range(150)), {}),
    "delete of a file": ("DELETE FROM {t} WHERE a < 100", set(range(100)), {}),
    "update": (
        "UPDATE {t} SET a = a + 5000 WHERE a < 20 OR a = 1001",
        {*range(20), 1001},
        {**{a + 5000: 0 for a in range(20)}, 6001: 1},
    ),
    "merge": (
        "MERGE INTO {t} t USING (SELECT explode(array(7, 107, 1001, 9999)) AS a) s ON t.a = s.a"
        " WHEN MATCHED THEN DELETE WHEN NOT MATCHED THEN INSERT (a, p) VALUES (s.a, 1)",
        {7, 107, 1001},
        {9999: 1},
    ),
    "replace": (
        "INSERT INTO {t} REPLACE WHERE a < 150 SELECT 8000, 0",
        set(range(150)),
        {8000: 0},
    ),
    "overwrite": (
        "INSERT OVERWRITE {t} PARTITION (p) SELECT 8000, 0",
        {a for a, p in BEFORE if p == 0},
        {8000: 0},
    ),
    "flush": ("CALL {c}.system.flush_inlined_data('t{n}')", set(), {}),
}


def reads(number: int) -> Matcher:
    """The first statement of a transaction, counted from 0."""
    counted = itertools.count()

    def matches(message: bytes) -> bool:
        begins = b"ISOLATION LEVEL REPEATABLE READ" in message
        return begins and next(counted) == number

    return matches


@dataclass(frozen=True)
class Stage:
    """One lake with a table for each run, and Spark at the far side of the proxy."""

    spark: SparkSession
    peer: Peer
    proxy: PostgresProxy
    lake: Lake
    catalog: str = "between_reads"

    def runs(self, sql: str, compaction: str) -> Iterator[tuple[int, str, Rows]]:
        """Runs a statement with the compaction before its first read, its second, and so on.

        In a normal run it comes before every second one: the first, or that after it.

        Returns:
            Of each run the number of its table, how it ended, and the rows that it gave; the last
            one is without a compaction.
        """
        for number in itertools.count(list(OTHERS).index(compaction) % STRIDE, STRIDE):
            table = self.peer.head()
            self.by_duckdb(MADE, table)
            has_come, end, rows = self.run(
                self._statement(sql, table),
                number,
                lambda table=table: self.by_duckdb(OTHERS[compaction], table),
            )
            yield table, end, rows
            if not has_come:
                return

    def run(self, sql: str, number: int, meanwhile: Callable[[], None]) -> tuple[bool, str, Rows]:
        """Runs a statement of Spark.

        Args:
            sql: the statement.
            number: of the read before which the other thing is done.
            meanwhile: the other thing.

        Returns:
            Whether there was such a read, how the statement ended, and its rows.
        """
        found: Rows = set()

        def ended() -> str:
            try:
                found.update(
                    (row[0], row[1]) for row in self.spark.sql(sql).collect() if len(row) > 1
                )
            except PySparkException as error:
                return error.getCondition() or str(error)
            return "committed"

        with self.proxy.held(reads(number)) as gate, ThreadPoolExecutor(1) as pool:
            running = pool.submit(ended)
            running.add_done_callback(lambda _: gate.open())
            gate.wait()
            if gate.has_come:
                meanwhile()
            gate.open()
            return gate.has_come, running.result(timeout=120), found

    def by_duckdb(self, sql: str, number: int) -> None:
        """Statements of DuckDB."""
        self.peer.run(*sql.replace("{n}", str(number)).split(";"))

    def rows(self, number: int) -> Rows:
        """What DuckDB reads from a table."""
        return {(a, p) for a, p in self.peer.rows(f"SELECT a, p FROM t{number}")}

    def _statement(self, sql: str, number: int) -> str:
        schema = f"{self.catalog}.main"
        return sql.format(c=self.catalog, t=f"{schema}.t{number}", d=f"{schema}.d", n=number)


@pytest.fixture(scope="module")
def stage(lakes: LakeFactory, proxy: PostgresProxy, spark: SparkSession) -> Iterator[Stage]:
    """The stage of this module."""
    lake = lakes.new("postgres")
    with Peer(lake) as peer:
        peer.run("CREATE TABLE d AS SELECT 0 AS p, 'x' AS name UNION ALL SELECT 2, 'y'")
        made = Stage(spark, peer, proxy, lake)
        through = replace(lake, uri=proxy.uri(lake.database))
        for key, value in through.spark_settings(made.catalog).items():
            spark.conf.set(key, value)
        spark.conf.set("spark.sql.sources.partitionOverwriteMode", "dynamic")
        try:
            yield made
        finally:
            spark.conf.unset("spark.sql.sources.partitionOverwriteMode")


def pairs(names: Iterable[str]) -> list[tuple[str, str]]:
    """Each statement with a compaction: with both in a full run, else with one after the other."""
    both = [(name, compaction) for name in names for compaction in COMPACTIONS]
    return both if FULL else [pair for at, pair in enumerate(both) if at % 4 in (0, 3)]


@pytest.mark.parametrize(("name", "compaction"), pairs(READS))
def test_a_query_finds_all_rows(stage: Stage, name: str, compaction: str) -> None:
    sql, expected = READS[name]

    found = [(end, rows == expected) for _, end, rows in stage.runs(sql, compaction)]

    assert found == [("committed", True)] * max(2 // STRIDE, len(found))


def test_bounds_of_a_snapshot_know_nothing_of_later_rows_in_its_files(stage: Stage) -> None:
    made = "CREATE TABLE t{n} (a INT, p INT);INSERT INTO t{n} SELECT i, 0 FROM range(99) AS r(i)"
    later = (
        "INSERT INTO t{n} SELECT i, 0 FROM range(500, 600) AS r(i);"
        "CALL ducklake_merge_adjacent_files('lake', 't{n}')"
    )
    found = []
    for number in itertools.count():
        table = stage.peer.head()
        stage.by_duckdb(made, table)
        sql = f"SELECT min(a), max(a) FROM {stage.catalog}.main.t{table} VERSION AS OF {table + 2}"
        has_come, end, rows = stage.run(
            sql, number, lambda table=table: stage.by_duckdb(later, table)
        )
        found.append((end, rows))
        if not has_come:
            break

    assert found == [("committed", {(0, 98)})] * max(3, len(found))


@pytest.mark.parametrize(("name", "compaction"), pairs(WRITES))
def test_a_write_does_all_or_conflicts(stage: Stage, name: str, compaction: str) -> None:
    sql, gone, new = WRITES[name]
    after = {(a, p) for a, p in BEFORE if a not in gone} | set(new.items())

    ends = [
        (end, stage.rows(table) == (after if end == "committed" else BEFORE))
        for table, end, _ in stage.runs(sql, compaction)
    ]

    assert set(ends) <= {("committed", True), (CONFLICT, True)}
    assert ends[-1] == ("committed", True)
    assert len(ends) > 2 // STRIDE


def test_deletes_that_old_delete_files_hide_are_united(stage: Stage) -> None:
    """DuckDB puts them into a file that says to be as old as the one it replaces (format 4.6)."""
    gone, theirs = set(range(207, 220)), set(range(242, 256))
    sql = "DELETE FROM {t} WHERE a BETWEEN 207 AND 219"

    ends = [(end, stage.rows(table)) for table, end, _ in stage.runs(sql, "hidden delete")]

    left = {(a, p) for a, p in BEFORE if a not in gone | theirs}
    assert ends[-1] == ("committed", {(a, p) for a, p in BEFORE if a not in gone})
    assert ends[:-1] == [("committed", left)] * max(2 // STRIDE, len(ends) - 1)


@pytest.mark.parametrize(
    "sql",
    [
        "UPDATE {t} SET p = 1 WHERE a BETWEEN 240 AND 250",
        "CALL {c}.system.rewrite_data_files('t{n}', delete_threshold => 0.1)",
    ],
)
def test_rows_of_hidden_deletes_do_not_come_back(stage: Stage, sql: str) -> None:
    left = {(a, p) for a, p in BEFORE if a not in range(242, 256)}

    ends = [(end, stage.rows(table)) for table, end, _ in stage.runs(sql, "hidden delete")]

    assert len(ends) > 2 // STRIDE
    assert {end for end, _ in ends} <= {"committed", CONFLICT}
    assert [rows for _, rows in ends[:-1]] == [left] * (len(ends) - 1)
    assert ends[-1] == ("committed", BEFORE)


def test_a_delete_that_is_committed_at_its_second_try_is_not_lost(stage: Stage) -> None:
    """DuckDB writes the snapshot of its first try into the file, which is older than ours here.

    A statement that has read the rows before is refused; one that reads the file does not see them.
    """
    gone, theirs = set(range(207, 260)), set(range(242, 256))
    both = {(a, p) for a, p in BEFORE if a not in gone}
    left = {(a, p) for a, p in BEFORE if a not in theirs}
    ends = []
    for number in itertools.count():
        table = stage.peer.head()
        stage.by_duckdb(MADE, table)
        with Peer(stage.lake) as late:
            late.run("BEGIN", f"DELETE FROM t{table} WHERE a BETWEEN 242 AND 255")
            stage.by_duckdb("CREATE TABLE x{n} (i INT)" + ";INSERT INTO x{n} VALUES (1)" * 3, table)
            sql = f"DELETE FROM {stage.catalog}.main.t{table} WHERE a BETWEEN 207 AND 300"
            has_come, end, _ = stage.run(sql, number, lambda: late.run("COMMIT"))
        ends.append((end, stage.rows(table)))
        if not has_come:
            break

    assert ends[-1] == ("committed", both)
    assert ends[-2] == (CONFLICT, left)
    assert all(end in (("committed", both), (CONFLICT, left)) for end in ends)


def test_a_flush_writes_no_bounds_of_an_earlier_type(stage: Stage) -> None:
    sql, *_ = WRITES["flush"]

    ends = [(end, stage.rows(table) == BEFORE) for table, end, _ in stage.runs(sql, "another type")]

    assert len(ends) > 2 // STRIDE
    assert set(ends) == {("committed", True)}


GROWN = """CREATE TABLE t{n} (a INTEGER, p INTEGER);
INSERT INTO t{n} VALUES (1, 0);
ALTER TABLE t{n} ADD COLUMN more INTEGER;
INSERT INTO t{n} VALUES (2, 0, 3)"""


def test_a_flush_is_planned_again_when_another_has_removed_an_inlined_table(stage: Stage) -> None:
    """DuckDB's flush removes the inlined table of an older shape (format 7.5)."""
    ends = []
    for number in itertools.count():
        table = stage.peer.head()
        stage.by_duckdb(GROWN, table)
        sql = f"CALL {stage.catalog}.system.flush_inlined_data('t{table}')"
        has_come, end, _ = stage.run(
            sql, number, lambda table=table: stage.by_duckdb(COMPACTIONS["flush"], table)
        )
        ends.append((end, stage.rows(table)))
        if not has_come:
            break

    assert len(ends) > 2
    assert ends == [("committed", {(1, 0), (2, 0)})] * len(ends)


PAIR = """CREATE TABLE t{n} (a INTEGER, p INTEGER);
CREATE TABLE u{n} (a INTEGER, p INTEGER);
BEGIN;
INSERT INTO t{n} VALUES (1, 0);
INSERT INTO u{n} VALUES (1, 0);
COMMIT"""
ROW_OF_EACH = "BEGIN;INSERT INTO t{n} VALUES (2, 0);INSERT INTO u{n} VALUES (2, 0);COMMIT"


@pytest.mark.parametrize(
    "sql",
    [
        "MERGE INTO {t} t USING {c}.main.u{n} u ON t.a = u.a "
        "WHEN NOT MATCHED THEN INSERT (a, p) VALUES (u.a, 9)",
        "MERGE INTO {t} t USING {c}.main.u{n} u ON t.a = u.a "
        "WHEN NOT MATCHED BY SOURCE THEN DELETE",
        "MERGE INTO {t} t USING {c}.main.u{n} u ON t.a = u.a "
        "WHEN MATCHED AND t.p <> u.p THEN UPDATE SET p = u.p "
        "WHEN NOT MATCHED THEN INSERT (a, p) VALUES (u.a, 9)",
        "DELETE FROM {t} WHERE a NOT IN (SELECT a FROM {c}.main.u{n})",
        "UPDATE {t} SET p = 9 WHERE NOT EXISTS (SELECT 1 FROM {c}.main.u{n} u WHERE u.a = {t}.a)",
        "INSERT INTO {t} SELECT a, 9 FROM {c}.main.u{n} WHERE a NOT IN (SELECT a FROM {t})",
    ],
)
def test_a_statement_sees_its_table_and_another_at_one_snapshot(stage: Stage, sql: str) -> None:
    """Both tables have the same rows at each snapshot, so none of the statements has work."""
    found = []
    for number in itertools.count():
        table = stage.peer.head()
        stage.by_duckdb(PAIR, table)
        has_come, end, _ = stage.run(
            stage._statement(sql, table),
            number,
            lambda table=table: stage.by_duckdb(ROW_OF_EACH, table),
        )
        found.append((end, stage.rows(table)))
        if not has_come:
            break

    assert found[-1] == ("committed", {(1, 0)})
    assert {rows == {(1, 0), (2, 0)} for _, rows in found[:-1]} == {True}
    assert {end for end, _ in found} <= {"committed", CONFLICT}


def test_the_lake_is_in_order(stage: Stage) -> None:
    by_duckdb = frozenset(committed_by_peers[stage.lake.uri])
    assert check(stage.lake, Scope(by_duckdb, is_free_of_orphans=True)) == []
