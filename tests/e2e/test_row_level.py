"""DELETE, UPDATE and MERGE: what DuckDB reads afterwards, row ids and history included."""

from __future__ import annotations

from collections.abc import Callable

import duckdb
import pytest
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from support.asking import refused
from support.lakes import IN_FILES, Lake, LakeFactory
from support.peer import Peer

Register = Callable[..., str]

INLINED = ["DATA_INLINING_ROW_LIMIT 0", "DATA_INLINING_ROW_LIMIT 1000"]


@pytest.fixture(params=INLINED, ids=["files", "inlined"])
def made(request: pytest.FixtureRequest, lake: Lake) -> Lake:
    """A lake with a table of 100 rows, in files or in the catalog, some of them deleted before."""
    with Peer(lake, request.param) as peer:
        peer.run(
            "CREATE TABLE t (id INT, name VARCHAR, score DOUBLE)",
            "INSERT INTO t SELECT i, 'n' || i, i / 2 FROM range(60) r(i)",
            "INSERT INTO t SELECT i, 'n' || i, i / 2 FROM range(60, 100) r(i)",
            "DELETE FROM t WHERE id % 10 = 3",
        )
    return lake


def _both(spark: SparkSession, lake: Lake, catalog: str, query: str) -> list[tuple[object, ...]]:
    """The answer of both engines, which must be one."""
    with Peer(lake) as peer:
        theirs = sorted(peer.rows(query.format(t="t")))
    ours = sorted(tuple(row) for row in spark.sql(query.format(t=f"{catalog}.t")).collect())
    assert ours == theirs
    return theirs


def _changes(lake: Lake, snapshot: int) -> dict[str, int]:
    with Peer(lake) as peer:
        kinds = peer.rows(
            "SELECT change_type, count(*) FROM ducklake_table_changes"
            f"('lake', 'main', 't', {snapshot}, {snapshot}) GROUP BY ALL"
        )
    return {str(kind): int(str(count)) for kind, count in kinds}


def test_delete(spark: SparkSession, made: Lake, register: Register) -> None:
    catalog = register(made)
    with Peer(made) as peer:
        before = peer.head()

    spark.sql(f"DELETE FROM {catalog}.t WHERE id % 7 = 0")

    rows = _both(spark, made, catalog, "SELECT id, name, score, rowid FROM {t}")
    assert [row[0] for row in rows] == [i for i in range(100) if i % 10 != 3 and i % 7 != 0]
    assert _changes(made, before + 1) == {"delete": 14}
    _both(spark, made, catalog, f"SELECT id FROM {{t}} {_version(before)}")


def _version(snapshot: int) -> str:
    """Time travel in DuckDB's words, which the extension teaches Spark."""
    return f"AT (VERSION => {snapshot})"


def test_delete_files_of_many_row_groups(
    spark: SparkSession, lake: Lake, register: Register
) -> None:
    with Peer(lake, "DATA_INLINING_ROW_LIMIT 0") as peer:
        peer.run("CREATE TABLE t AS SELECT i AS id FROM range(500000) r(i)")
        before = peer.head()
    catalog = register(lake)

    spark.sql(f"DELETE FROM {catalog}.t WHERE id % 3 = 0")
    spark.sql(f"DELETE FROM {catalog}.t WHERE id % 3 = 1 AND id > 100000")
    with Peer(lake) as peer:
        peer.run("DELETE FROM t WHERE id % 1000 = 2")

    left = [i for i in range(500000) if i % 3 and (i % 3 == 2 or i <= 100000) and i % 1000 != 2]
    found = "SELECT count(*), sum(id), min(id), max(id), sum(rowid) FROM {t}"
    expected = (len(left), sum(left), min(left), max(left), sum(left))
    assert _both(spark, lake, catalog, found) == [expected]
    assert _changes(lake, before + 1) == {"delete": 166667}
    third = [i for i in range(500000) if i % 3]
    counted = f"SELECT count(*), sum(id) FROM {{t}} {_version(before + 1)}"
    assert _both(spark, lake, catalog, counted) == [(len(third), sum(third))]


def test_delete_of_all_rows_ends_the_files(
    spark: SparkSession, made: Lake, register: Register
) -> None:
    catalog = register(made)

    spark.sql(f"DELETE FROM {catalog}.t WHERE id >= 0")

    assert _both(spark, made, catalog, "SELECT id FROM {t}") == []
    with Peer(made) as peer:
        assert peer.rows("SELECT count(*) FROM ducklake_list_files('lake', 't')") == [(0,)]


def test_delete_without_a_condition(spark: SparkSession, made: Lake, register: Register) -> None:
    catalog = register(made)

    spark.sql(f"DELETE FROM {catalog}.t")

    assert _both(spark, made, catalog, "SELECT id FROM {t}") == []


def test_delete_twice_and_duckdb_goes_on(
    spark: SparkSession, made: Lake, register: Register
) -> None:
    catalog = register(made)

    spark.sql(f"DELETE FROM {catalog}.t WHERE id < 10")
    spark.sql(f"DELETE FROM {catalog}.t WHERE id IN (SELECT id + 1 FROM {catalog}.t)")
    with Peer(made) as peer:
        peer.run("DELETE FROM t WHERE id = 14", "INSERT INTO t VALUES (500, 'x', 1)")
    spark.sql(f"DELETE FROM {catalog}.t WHERE id = 500")

    _both(spark, made, catalog, "SELECT id, name, rowid FROM {t}")
    with Peer(made) as peer:
        head = peer.head()
    for version in range(2, head + 1):
        _both(spark, made, catalog, f"SELECT id, rowid FROM {{t}} {_version(version)}")


def test_update_keeps_row_ids(spark: SparkSession, made: Lake, register: Register) -> None:
    catalog = register(made)
    before = _both(spark, made, catalog, "SELECT id, rowid FROM {t}")
    with Peer(made) as peer:
        head = peer.head()

    spark.sql(f"UPDATE {catalog}.t SET name = upper(name), score = score + 1 WHERE id % 5 = 0")

    assert _both(spark, made, catalog, "SELECT id, rowid FROM {t}") == before
    _both(spark, made, catalog, "SELECT id, name, score FROM {t}")
    assert _changes(made, head + 1) == {"update_preimage": 20, "update_postimage": 20}


def test_merge(spark: SparkSession, made: Lake, register: Register) -> None:
    catalog = register(made)
    with Peer(made) as peer:
        head = peer.head()

    spark.sql(
        f"MERGE INTO {catalog}.t AS t USING (SELECT id * 10 AS id FROM range(0, 20)) AS s "
        "ON t.id = s.id "
        "WHEN MATCHED AND s.id < 20 THEN DELETE "
        "WHEN MATCHED THEN UPDATE SET name = 'merged' "
        "WHEN NOT MATCHED THEN INSERT (id, name, score) VALUES (s.id, 'new', NULL) "
        "WHEN NOT MATCHED BY SOURCE AND t.id > 90 THEN DELETE"
    )

    rows = _both(spark, made, catalog, "SELECT id, name, score FROM {t}")
    assert (20, "merged", 10.0) in rows
    assert (190, "new", None) in rows
    assert not [row for row in rows if row[0] in (0, 10, 91, 99)]
    assert _changes(made, head + 1) == {
        "delete": 10,
        "insert": 10,
        "update_preimage": 8,
        "update_postimage": 8,
    }


def test_merge_refuses_two_matches_for_a_row(
    spark: SparkSession, made: Lake, register: Register
) -> None:
    catalog = register(made)
    before = _both(spark, made, catalog, "SELECT * FROM {t}")

    with pytest.raises(PySparkException, match="MERGE_CARDINALITY_VIOLATION"):
        spark.sql(
            f"MERGE INTO {catalog}.t AS t USING (SELECT 1 AS id FROM range(2)) AS s "
            "ON t.id = s.id WHEN MATCHED THEN UPDATE SET name = 'twice'"
        )

    assert _both(spark, made, catalog, "SELECT * FROM {t}") == before


def test_update_moves_rows_between_partitions(
    spark: SparkSession, lake: Lake, register: Register
) -> None:
    with Peer(lake, "DATA_INLINING_ROW_LIMIT 0") as peer:
        peer.run(
            "CREATE TABLE t (id INT, part VARCHAR)",
            "ALTER TABLE t SET PARTITIONED BY (part)",
            "INSERT INTO t SELECT i, 'p' || (i % 3) FROM range(30) r(i)",
        )
    catalog = register(lake, IN_FILES)

    spark.sql(f"UPDATE {catalog}.t SET part = 'p9' WHERE id < 10")

    _both(spark, lake, catalog, "SELECT id, part, rowid FROM {t}")
    with Peer(lake) as peer:
        files = peer.rows("SELECT data_file FROM ducklake_list_files('lake', 't')")
        assert any("part=p9" in str(file) for (file,) in files)


def test_a_statement_reads_its_tables_at_one_snapshot(
    spark: SparkSession, made: Lake, register: Register
) -> None:
    catalog = register(made)

    spark.sql(
        f"DELETE FROM {catalog}.t WHERE score > (SELECT avg(score) FROM {catalog}.t) "
        f"OR id = (SELECT min(id) FROM {catalog}.t)"
    )

    _both(spark, made, catalog, "SELECT id, score FROM {t}")


def test_update_of_nested_renamed_and_added_columns(
    spark: SparkSession, lake: Lake, register: Register
) -> None:
    with Peer(lake, "DATA_INLINING_ROW_LIMIT 0") as peer:
        peer.run(
            "CREATE TABLE t (id INT, s STRUCT(a INT, b VARCHAR), l INT[])",
            "INSERT INTO t SELECT i, {'a': i, 'b': 'x'}, [i, NULL] FROM range(20) r(i)",
            "ALTER TABLE t ADD COLUMN extra INT DEFAULT 7",
            "ALTER TABLE t RENAME COLUMN l TO items",
            "ALTER TABLE t ADD COLUMN s.c DOUBLE",
        )
    catalog = register(lake)

    spark.sql(f"UPDATE {catalog}.t SET s.a = s.a + 100, extra = extra + 1 WHERE id < 5")

    with Peer(lake) as peer:
        theirs = peer.rows("SELECT id, s.a, s.b, s.c, extra, rowid FROM t ORDER BY id")
    ours = spark.sql(f"SELECT id, s.a, s.b, s.c, extra, rowid FROM {catalog}.t ORDER BY id")
    assert [tuple(row) for row in ours.collect()] == theirs
    assert theirs[0][1] == 100
    assert theirs[0][4] == 8


def test_a_flush_by_duckdb_does_not_bring_rows_back(
    spark: SparkSession, lakes: LakeFactory, register: Register
) -> None:
    """Ours begins with its own snapshot, so that DuckDB notices the delete file it did not know."""
    lake = lakes.new("postgres")
    with Peer(lake, "DATA_INLINING_ROW_LIMIT 10") as peer:
        peer.run(
            "CREATE TABLE t AS SELECT i AS id FROM range(100) r(i)", "DELETE FROM t WHERE id < 5"
        )
    catalog = register(lake)

    with Peer(lake) as peer:
        peer.run("BEGIN")
        peer.connection.execute("CALL ducklake_flush_inlined_data('lake')").fetchall()
        spark.sql(f"DELETE FROM {catalog}.t WHERE id BETWEEN 50 AND 79")
        with pytest.raises(duckdb.Error, match="onflict"):
            peer.connection.execute("COMMIT").fetchall()

    left = [(i,) for i in range(5, 100) if not 50 <= i <= 79]
    assert _both(spark, lake, catalog, "SELECT id FROM {t}") == left


@pytest.mark.parametrize("settings", [IN_FILES, {}], ids=["in files", "in the catalog"])
def test_hidden_columns_may_be_named_but_not_assigned(
    spark: SparkSession, lake: Lake, register: Register, settings: dict[str, str]
) -> None:
    catalog = register(lake, settings)
    spark.sql(f"CREATE TABLE {catalog}.t (id INT, n BIGINT, filename STRING)")
    spark.sql(f"INSERT INTO {catalog}.t VALUES (1, 10, 'a'), (2, 20, 'b'), (3, 30, 'c')")

    refused(spark, f"UPDATE {catalog}.t SET rowid = 7 WHERE rowid = 1", "DUCKLAKE_UNSUPPORTED")
    refused(spark, f"UPDATE {catalog}.t SET rowid = rowid + 1", "DUCKLAKE_UNSUPPORTED")
    spark.sql(f"UPDATE {catalog}.t SET n = snapshot_id + rowid, filename = 'x' WHERE rowid = 1")

    rows = _both(spark, lake, catalog, "SELECT id, n, filename, rowid FROM {t}")
    assert rows == [(1, 10, "a", 0), (2, 3, "x", 1), (3, 30, "c", 2)]


def test_a_column_named_like_the_row_id_is_a_column(
    spark: SparkSession, lake: Lake, register: Register
) -> None:
    catalog = register(lake, IN_FILES)
    spark.sql(f"CREATE TABLE {catalog}.t (id INT, rowid BIGINT)")
    spark.sql(f"INSERT INTO {catalog}.t VALUES (1, 10), (2, 20)")

    spark.sql(f"UPDATE {catalog}.t SET rowid = snapshot_id + 100 WHERE id = 1")

    assert _both(spark, lake, catalog, "SELECT id, rowid FROM {t}") == [(1, 102), (2, 20)]
