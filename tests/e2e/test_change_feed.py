"""The change feed gives in Spark what DuckDB gives; where DuckDB is wrong, the truth."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from pyspark.sql import SparkSession

from support.asking import refused
from support.feeds import Story, by_duckdb, by_spark, by_time_travel, differences, play
from support.lakes import Lake, LakeFactory
from support.peer import Peer
from support.session import INTERPRETED

Register = Callable[..., str]

NO_INLINING = "CALL lake.set_option('data_inlining_row_limit', 0, table_name => '{t}')"
MERGE = "CALL ducklake_merge_adjacent_files('lake', '{t}')"
REWRITE = "CALL ducklake_rewrite_data_files('lake', '{t}', delete_threshold => 0.1)"
FLUSH = "CALL ducklake_flush_inlined_data('lake', table_name => '{t}')"


def rows(count: int, start: int = 0) -> str:
    """An INSERT of so many rows of the columns a and b."""
    return f"INSERT INTO {{t}} SELECT i, 'v' || i FROM range({start}, {start + count}) r(i)"


STORIES = (
    Story(
        "basic",
        (
            "CREATE TABLE {t} (a BIGINT, b VARCHAR)",
            NO_INLINING,
            rows(6),
            "DELETE FROM {t} WHERE a = 1",
            "DELETE FROM {t} WHERE a = 2",
            "UPDATE {t} SET b = 'u' WHERE a = 3",
            "UPDATE {t} SET b = 'w' WHERE a = 3",
            "MERGE INTO {t} t USING (VALUES (4, 'm'), (99, 'n')) s (a, b) ON t.a = s.a "
            "WHEN MATCHED THEN UPDATE SET b = s.b WHEN NOT MATCHED THEN INSERT VALUES (s.a, s.b)",
            "UPDATE {t} SET b = 'same', a = a WHERE a >= 5",
            "BEGIN",
            "UPDATE {t} SET b = 'z1' WHERE a = 99",
            "UPDATE {t} SET b = 'z2' WHERE a = 99",
            "INSERT INTO {t} VALUES (300, 'x')",
            "DELETE FROM {t} WHERE a = 300",
            "DELETE FROM {t} WHERE a = 4",
            "COMMIT",
            "DELETE FROM {t} WHERE a = 0",
            "TRUNCATE {t}",
        ),
    ),
    Story(
        "inlined",
        (
            "CREATE TABLE {t} (a BIGINT, b VARCHAR)",
            "INSERT INTO {t} VALUES (1, 'a'), (2, 'b'), (3, NULL)",
            "UPDATE {t} SET b = 'u' WHERE a = 1",
            "DELETE FROM {t} WHERE a = 2",
            rows(20, 10),
            "DELETE FROM {t} WHERE a IN (10, 11)",
            "UPDATE {t} SET b = 'x' WHERE a IN (3, 12)",
            "ALTER TABLE {t} ADD COLUMN c INT DEFAULT 7",
            "INSERT INTO {t} VALUES (4, 'd', 4)",
            "BEGIN",
            "INSERT INTO {t} VALUES (200, 'i', 0)",
            "UPDATE {t} SET c = 1 WHERE a = 200",
            "UPDATE {t} SET c = 2 WHERE a IN (4, 200)",
            "DELETE FROM {t} WHERE a = 14",
            "UPDATE {t} SET c = 5 WHERE a = 15",
            "COMMIT",
            "DELETE FROM {t} WHERE a < 20",
        ),
    ),
    Story(
        "flushed",
        (
            "CREATE TABLE {t} (a BIGINT, b VARCHAR)",
            "INSERT INTO {t} VALUES (1, 'a'), (2, 'b'), (3, 'c')",
            "UPDATE {t} SET b = 'u' WHERE a = 1",
            "UPDATE {t} SET b = 'w' WHERE a = 1",
            rows(20, 10),
            "DELETE FROM {t} WHERE a IN (2, 10, 11)",
            "UPDATE {t} SET b = 'x' WHERE a IN (3, 12)",
            FLUSH,
            "DELETE FROM {t} WHERE a IN (1, 13)",
            FLUSH,
            "DELETE FROM {t} WHERE a >= 14 AND a <= 28",
        ),
    ),
    Story(
        "merged",
        (
            "CREATE TABLE {t} (a BIGINT, b VARCHAR)",
            NO_INLINING,
            rows(3),
            rows(3, 10),
            rows(3, 20),
            "UPDATE {t} SET b = 'u' WHERE a = 10",
            MERGE,
            "DELETE FROM {t} WHERE a IN (20, 21)",
        ),
    ),
    Story(
        "merged_long_ago",
        (
            "CREATE TABLE {t} (a BIGINT, b VARCHAR)",
            NO_INLINING,
            rows(3),
            rows(3, 10),
            MERGE,
            "DELETE FROM {t} WHERE a = 1",
            "DELETE FROM {t} WHERE a IN (2, 11)",
        ),
    ),
    Story(
        "rewritten",
        (
            "CREATE TABLE {t} (a BIGINT, b VARCHAR)",
            NO_INLINING,
            rows(8),
            "DELETE FROM {t} WHERE a < 4",
            REWRITE,
            "UPDATE {t} SET b = 'u' WHERE a = 5",
            "DELETE FROM {t}",
        ),
    ),
    Story(
        "vectors",
        (
            "CREATE TABLE {t} (a BIGINT, b VARCHAR)",
            NO_INLINING,
            "CALL lake.set_option('write_deletion_vectors', true, table_name => '{t}')",
            rows(20),
            "DELETE FROM {t} WHERE a = 1",
            "UPDATE {t} SET b = 'u' WHERE a = 2",
        ),
    ),
    Story(
        "registered",
        (
            "CREATE TABLE {t} (a BIGINT, b VARCHAR)",
            "COPY (SELECT i AS a, 'p' || i AS b FROM range(4) r(i)) TO '{data}/{t}.parquet'",
            "CALL ducklake_add_data_files('lake', '{t}', '{data}/{t}.parquet')",
            "DELETE FROM {t} WHERE a = 1",
            "UPDATE {t} SET b = 'q' WHERE a = 2",
        ),
    ),
    Story(
        "partitioned",
        (
            "CREATE TABLE {t} (a BIGINT, p INT)",
            "ALTER TABLE {t} SET PARTITIONED BY (p)",
            "INSERT INTO {t} SELECT i, i % 2 FROM range(12) r(i)",
            "UPDATE {t} SET p = 9 WHERE a = 0",
            "UPDATE {t} SET p = 8 WHERE a > 4",
            "DELETE FROM {t} WHERE p = 1",
        ),
    ),
    Story(
        "shapes",
        (
            "CREATE TABLE {t} (a BIGINT, n INT)",
            "INSERT INTO {t} SELECT i, i FROM range(8) r(i)",
            "ALTER TABLE {t} ADD COLUMN c VARCHAR DEFAULT 'def'",
            "INSERT INTO {t} VALUES (40, 4, 'x')",
            "ALTER TABLE {t} RENAME a TO aa",
            "DELETE FROM {t} WHERE aa = 1",
            "ALTER TABLE {t} ALTER n TYPE BIGINT",
            "UPDATE {t} SET c = 'u' WHERE aa IN (2, 40)",
            "ALTER TABLE {t} DROP COLUMN c",
            "DELETE FROM {t} WHERE aa = 3",
            "ALTER TABLE {t} ADD COLUMN c INT",
            "UPDATE {t} SET c = 1",
        ),
    ),
    Story(
        "replaced",
        (
            "CREATE TABLE {t} AS SELECT 1 AS a",
            "DROP TABLE {t}",
            "CREATE TABLE {t} (a INT, b INT)",
            "INSERT INTO {t} VALUES (3, 3)",
            "CREATE OR REPLACE TABLE {t} AS SELECT i AS z FROM range(9) r(i)",
            "INSERT INTO {t} VALUES (60)",
            "DELETE FROM {t}",
            "INSERT INTO {t} VALUES (61)",
        ),
    ),
    Story(
        "named",
        (
            'CREATE TABLE {t} ("Change_Type" INT, change_type_1 INT, x INT)',
            "INSERT INTO {t} VALUES (7, 8, 9)",
            "UPDATE {t} SET x = 10",
        ),
    ),
    Story(
        "named_before",
        (
            "CREATE TABLE {t} (change_type_1 INT, change_type INT)",
            "INSERT INTO {t} VALUES (7, 8)",
        ),
    ),
)

DUCKDB_IS_WRONG = {
    "flushed": "deletes of flushed rows are dated by the snapshot that inserted the row",
    "merged": "deletes of merged rows are dated by the snapshot that inserted the row",
}
"""Tables with feeds that DuckDB 1.5.5 gives wrongly: there time travel is right."""


DETAILED = ("inlined", "flushed")
"""Tables of which the feed of each snapshot is asked for, beside longer ranges."""

INLINING = ("inlined", "flushed", "shapes")
"""Tables whose rows are in the catalog: there databases differ."""


def interpreted(spark: SparkSession) -> SparkSession:
    """A session in which many small queries are not compiled."""
    session = spark.newSession()
    for key, value in INTERPRETED.items():
        session.conf.set(key, value)
    return session


def test_feeds_are_duckdbs(spark: SparkSession, lake: Lake, register: Register) -> None:
    is_database_special = lake.kind != "sqlite"
    stories = play(lake, [s for s in STORIES if not is_database_special or s.table in INLINING])
    session = interpreted(spark)
    catalog = register(lake, session=session)
    feeds = [feed for story in stories for feed in story.feeds(are_many=story.table in DETAILED)]
    expected = by_duckdb(lake, feeds)

    actual = by_spark(session, catalog, feeds)

    found = differences(expected, actual)
    wrong = {feed for feed in found if feed.table in DUCKDB_IS_WRONG and feed.kind == "changes"}
    truth = {feed: by_time_travel(lake, feed) for feed in wrong}
    assert differences(truth, actual) == {}
    assert {feed.table for feed in wrong} == set(DUCKDB_IS_WRONG) & {s.table for s in stories}
    assert {feed: lines for feed, lines in found.items() if feed not in wrong} == {}


@pytest.fixture(scope="module")
def small(lakes: LakeFactory) -> Lake:
    """A lake on SQLite with the snapshots 1 to 7 of a table."""
    made = lakes.new("sqlite")
    with Peer(made, "DATA_INLINING_ROW_LIMIT 0") as peer:
        peer.run(
            "CREATE TABLE t (a BIGINT, b VARCHAR, s STRUCT(x INT, y VARCHAR))",
            "INSERT INTO t SELECT i, 'v' || i, {'x': i, 'y': 'y' || i} FROM range(6) r(i)",
            "INSERT INTO t SELECT i, 'v' || i, {'x': i, 'y': 'y' || i} FROM range(10, 16) r(i)",
            "UPDATE t SET b = 'u' WHERE a IN (1, 11)",
            "DELETE FROM t WHERE a = 2",
            "ALTER TABLE t ADD COLUMN c INT",
            "INSERT INTO t VALUES (20, 'z', NULL, 5)",
        )
    return made


FEED = [(4, "update_postimage", 1), (4, "update_postimage", 11), (4, "update_preimage", 1)]
FEED += [(4, "update_preimage", 11), (5, "delete", 2)]
COLUMNS = "snapshot_id, change_type, a"


def test_the_three_forms_give_the_same(
    spark: SparkSession, small: Lake, register: Register
) -> None:
    lake = register(small)
    feed = spark.read.option("start-snapshot", 4).option("end-snapshot", "5")
    with Peer(small) as peer:
        times = dict(peer.rows("SELECT snapshot_id, snapshot_time FROM lake.snapshots()"))
    between = [f"TIMESTAMP '{times[at].replace(tzinfo=None)}'" for at in (4, 5)]
    by_time = spark.read.option("start-timestamp", str(times[4])).option(
        "end-timestamp", str(times[5])
    )

    forms = [
        spark.sql(f"CALL {lake}.system.table_changes('main', 't', 4, 5)"),
        spark.sql(f"CALL {lake}.table_changes('t', 4, 5)"),
        spark.sql(f"CALL {lake}.system.table_changes('main.t', {', '.join(between)})"),
        spark.sql(
            f"CALL {lake}.system.table_changes("
            "table_name => 't', end_snapshot => 5, start_snapshot => 4, schema_name => 'main')"
        ),
        spark.sql(f"SELECT * FROM ducklake_table_changes('{lake}', 't', 4, 2 + 3)"),
        spark.sql(f"SELECT * FROM ducklake_table_changes('{lake}', 't', '0004', ' 5 ')"),
        spark.sql(f"SELECT * FROM ducklake_table_changes('{lake}', 't', {', '.join(between)})"),
        feed.table(f"{lake}.main.t.changes"),
        by_time.table(f"{lake}.t.changes"),
        spark.sql(
            f"SELECT * FROM {lake}.main.t.changes "
            "WITH ('start-snapshot' = '4', 'end-snapshot' = '5')"
        ),
    ]

    for form in forms:
        assert sorted(map(tuple, form.select(*COLUMNS.split(", ")).collect())) == FEED
    assert forms[0].columns == ["snapshot_id", "rowid", "change_type", "a", "b", "s"]
    assert {tuple(form.columns) for form in forms} == {tuple(forms[0].columns)}
    open_end = spark.read.option("start-snapshot", 4).table(f"{lake}.main.t.changes")
    assert open_end.columns == [*forms[0].columns, "c"]
    old = spark.read.option("versionAsOf", 5).option("start-snapshot", 4)
    assert old.table(f"{lake}.t.changes").columns == forms[0].columns
    assert sorted(map(tuple, old.table(f"{lake}.t.changes").select("a").collect())) == [
        (1,), (1,), (2,), (11,), (11,),
    ]  # fmt: skip
    inserted = feed.table(f"{lake}.t.insertions")
    assert inserted.columns == ["a", "b", "s"]
    assert sorted(row["a"] for row in inserted.collect()) == [1, 11]
    called = spark.sql(f"CALL {lake}.system.table_insertions('t', 4, 5)").collect()
    assert sorted(called) == sorted(inserted.collect())
    deleted = spark.sql(f"CALL {lake}.system.table_deletions('t', 4, 5)").collect()
    assert sorted(row["a"] for row in deleted) == [1, 2, 11]


def test_each_mention_of_a_feed_in_a_query_has_its_own_range(
    spark: SparkSession, small: Lake, register: Register
) -> None:
    """Spark knows a relation by its name and snapshot, whatever its other options are."""
    lake = register(small)
    counts = [
        f"SELECT count(*) FROM {lake}.t.changes WITH ('start-snapshot' = '{start}'{end})"
        for start, end in ((4, ""), (7, ""), (5, ", 'end-snapshot' = '7'"))
    ]

    shown = spark.sql(" UNION ALL ".join(counts)).collect()

    assert [row[0] for row in shown] == [6, 1, 2]
    feeds = "SELECT * FROM {}t.changes WITH ('start-snapshot' = '{}')"
    for name, before in (("whole", f"{lake}."), ("short", "")):
        union = f"{feeds.format(before, 4)} UNION ALL {feeds.format(before, 7)}"
        spark.sql(f"USE {lake}.main")
        spark.sql(f"CREATE TEMPORARY VIEW {name} AS {union}")
        spark.sql("USE spark_catalog.default")
        try:
            assert spark.table(name).count() == 6 + 1, name
        finally:
            spark.sql(f"DROP VIEW {name}")
    joined = f"SELECT * FROM {lake}.t CROSS JOIN {lake}.t WITH ('unheard-of' = '1') AS other"
    refused(spark, joined, "DUCKLAKE_INVALID_SETTING", "unheard-of")


def test_filters_and_pruned_columns_give_what_the_whole_feed_gives(
    spark: SparkSession, small: Lake, register: Register
) -> None:
    feed = f"ducklake_table_changes('{register(small)}', 't', 1, 7)"
    whole = spark.sql(f"SELECT * FROM {feed}").collect()
    assert len(whole) == 18

    def asked(query: str) -> list[tuple[object, ...]]:
        return sorted(tuple(row) for row in spark.sql(f"SELECT {query}").collect())

    assert asked(f"a, s.y FROM {feed} WHERE a > 10 AND change_type = 'insert'") == [
        *((a, f"y{a}") for a in range(11, 16)),
        (20, None),
    ]
    assert asked(f"change_type, rowid FROM {feed} WHERE b = 'u'") == [
        ("update_postimage", 1),
        ("update_postimage", 7),
    ]
    assert asked(
        f"change_type, count(*) FROM {feed} WHERE snapshot_id BETWEEN 3 AND 5 GROUP BY 1"
    ) == [
        ("delete", 1),
        ("insert", 6),
        ("update_postimage", 2),
        ("update_preimage", 2),
    ]
    assert asked(f"count(*) FROM {feed}") == [(18,)]


def test_only_files_that_the_range_touched_are_opened(
    spark: SparkSession, lakes: LakeFactory, register: Register
) -> None:
    made = lakes.new("sqlite")
    with Peer(made, "DATA_INLINING_ROW_LIMIT 0") as peer:
        peer.run("CREATE TABLE t (a INT)", *(f"INSERT INTO t VALUES ({i})" for i in range(5)))
        peer.run("DELETE FROM t WHERE a = 0", "DELETE FROM t WHERE a = 1")
        files = peer.rows("SELECT data_file FROM ducklake_list_files('lake', 't')")
        first = peer.value("SELECT filename FROM t AT (VERSION => 2)")
        last = peer.value("SELECT filename FROM t AT (VERSION => 3) WHERE a = 1")
    for name in {first, *(name for (name,) in files)} - {last}:
        (made.data_path / name.removeprefix(f"{made.data_path}/")).unlink()

    found = spark.sql(f"SELECT * FROM ducklake_table_changes('{register(made)}', 't', 8, 8)")

    assert [tuple(row) for row in found.collect()] == [(8, 1, "delete", 1)]
