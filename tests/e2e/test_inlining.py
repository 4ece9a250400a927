"""Small writes are kept in the catalog as DuckDB keeps them."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from support.flushing import made
from support.lakes import IN_FILES, Lake, LakeFactory
from support.lines import EVOLVING_INSERT, VARIANT_WRITES, since
from support.peer import Peer, last_commit

pytestmark = pytest.mark.every_database

Register = Callable[..., str]
Rows = list[tuple[object, ...]]

# Databases that DuckDB can stay attached to while Spark writes.
shared = pytest.mark.parametrize("kind", ["sqlite", "postgres"], indirect=True)


def _files(lake: Lake, table: str = "t") -> tuple[int, int]:
    """Data files and delete files of a table."""
    with Peer(lake) as peer:
        rows = peer.rows(
            "SELECT count(*), count(delete_file) FROM ducklake_list_files('lake', ?)", [table]
        )
    return int(rows[0][0]), int(rows[0][1])


def _both(spark: SparkSession, lake: Lake, catalog: str, query: str) -> Rows:
    """The answer of both engines, which must be one."""
    with Peer(lake) as peer:
        theirs = sorted(peer.rows(query.format(t="t")), key=str)
    ours = sorted(
        (tuple(row) for row in spark.sql(query.format(t=f"{catalog}.t")).collect()), key=str
    )
    assert ours == theirs
    return theirs


@pytest.mark.parametrize(
    ("rows", "tasks", "files"), [(10, 1, 0), (11, 1, 1), (10, 5, 0), (15, 5, 1), (40, 2, 2)]
)
@pytest.mark.parametrize("kind", ["sqlite"], indirect=True)
def test_few_rows_are_inlined_whatever_tasks_bring_them(
    spark: SparkSession, lake: Lake, register: Register, rows: int, tasks: int, files: int
) -> None:
    made(lake, "CREATE TABLE t (id BIGINT)")
    catalog = register(lake)

    spark.range(0, rows, 1, tasks).writeTo(f"{catalog}.t").append()

    assert _files(lake) == (files, 0)
    assert last_commit(lake)[1] == (
        "{tables_inserted_into=[1]}" if files else "{inlined_insert=[1]}"
    )
    assert len(_both(spark, lake, catalog, "SELECT id, rowid FROM {t}")) == rows


@pytest.mark.parametrize("kind", ["sqlite"], indirect=True)
def test_what_tasks_leave_of_a_partitioned_table_is_a_file_for_each_partition(
    spark: SparkSession, lake: Lake, register: Register
) -> None:
    made(lake, "CREATE TABLE t (id BIGINT, p INT)", "ALTER TABLE t SET PARTITIONED BY (p)")
    catalog = register(lake)

    rows = spark.range(0, 24, 1, 4).selectExpr("id", "CAST(id % 3 AS INT) AS p")
    rows.writeTo(f"{catalog}.t").append()

    assert _files(lake) == (3, 0)
    assert len(_both(spark, lake, catalog, "SELECT id, p FROM {t}")) == 24


def test_the_limit_is_taken_from_the_nearest_scope(
    spark: SparkSession, lake: Lake, register: Register
) -> None:
    made(lake, "CREATE TABLE t (id BIGINT)")
    catalog = register(lake, {"data-inlining-row-limit": "2"})

    def is_inlined(rows: int) -> bool:
        spark.range(0, rows, 1, 1).writeTo(f"{catalog}.t").append()
        return "inlined_insert" in last_commit(lake)[1]

    def set_option(value: int, scope: str) -> None:
        spark.sql(f"CALL {catalog}.system.set_option('data_inlining_row_limit', '{value}'{scope})")

    assert [is_inlined(2), is_inlined(3)] == [True, False]
    set_option(3, "")
    assert [is_inlined(3), is_inlined(4)] == [True, False]
    set_option(4, ", schema => 'main'")
    assert [is_inlined(4), is_inlined(5)] == [True, False]
    set_option(5, ", table_name => 't'")
    assert [is_inlined(5), is_inlined(6)] == [True, False]
    set_option(0, ", table_name => 't'")
    assert not is_inlined(1)


@shared
def test_deletes_of_few_rows_are_inlined(
    spark: SparkSession, lake: Lake, register: Register
) -> None:
    made(lake, "CREATE TABLE t (id INT)", "INSERT INTO t FROM range(100)")
    made(lake, "INSERT INTO t FROM range(100, 105)", limit=0)
    catalog = register(lake)

    with Peer(lake) as attached:
        assert attached.value("SELECT count(*) FROM t") == 105
        spark.sql(f"DELETE FROM {catalog}.t WHERE id < 10")
        assert attached.value("SELECT count(*) FROM t") == 95
        # Recorded as more than it is, for DuckDB to see it (decision 02).
        assert last_commit(lake)[1] == (
            "{tables_inserted_into=[1], tables_deleted_from=[1], inlined_delete=[1]}"
        )
        assert _files(lake) == (2, 0)

        spark.sql(f"DELETE FROM {catalog}.t WHERE id BETWEEN 20 AND 30")
        assert attached.value("SELECT count(*) FROM t") == 84
        assert last_commit(lake)[1] == "{tables_deleted_from=[1], inlined_delete=[1]}"
        assert _files(lake) == (2, 1)

        spark.sql(f"DELETE FROM {catalog}.t WHERE id >= 100")
        assert last_commit(lake)[1] == "{tables_deleted_from=[1], inlined_delete=[1]}"
        assert _files(lake) == (1, 1)

        attached.run("DELETE FROM t WHERE id = 50")
        spark.sql(f"DELETE FROM {catalog}.t WHERE id IN (50, 51)")
        assert attached.value("SELECT count(*) FROM t") == 77
    assert len(_both(spark, lake, catalog, "SELECT id, rowid FROM {t}")) == 77


def test_rows_that_change_keep_their_ids(
    spark: SparkSession, lake: Lake, register: Register
) -> None:
    made(
        lake,
        "CREATE TABLE t (id INT, s VARCHAR)",
        "INSERT INTO t SELECT i, 'file' FROM range(50) r(i)",
        "INSERT INTO t VALUES (100, 'catalog'), (101, 'catalog')",
    )
    catalog = register(lake)

    spark.sql(f"UPDATE {catalog}.t SET s = 'new' WHERE id IN (7, 8, 100)")
    spark.sql(f"UPDATE {catalog}.t SET s = 'newer' WHERE id IN (8, 100)")

    rows = dict(
        (row[0], row[1:]) for row in _both(spark, lake, catalog, "SELECT id, s, rowid FROM {t}")
    )
    assert rows[7] == ("new", 7)
    assert rows[8] == ("newer", 8)
    assert rows[100] == ("newer", 50)
    head, changes = last_commit(lake)
    assert changes == "{inlined_insert=[1], inlined_delete=[1]}"
    with Peer(lake) as peer:
        feed = peer.rows(
            "SELECT change_type, rowid, s FROM "
            f"ducklake_table_changes('lake', 'main', 't', {head - 1}, {head}) ORDER BY ALL"
        )
        assert peer.value(f"SELECT s FROM t AT (VERSION => {head - 1}) WHERE id = 8") == "new"
    assert feed == [
        ("update_postimage", 7, "new"),
        ("update_postimage", 8, "new"),
        ("update_postimage", 8, "newer"),
        ("update_postimage", 50, "new"),
        ("update_postimage", 50, "newer"),
        ("update_preimage", 7, "file"),
        ("update_preimage", 8, "file"),
        ("update_preimage", 8, "new"),
        ("update_preimage", 50, "catalog"),
        ("update_preimage", 50, "new"),
    ]


def test_rows_with_one_row_id_go_one_by_one(
    spark: SparkSession, lakes: LakeFactory, register: Register
) -> None:
    """DuckDB inlines such rows under new row ids, and Spark, which keeps the ids, writes a file."""
    lake = lakes.new("sqlite")
    with Peer(lake, "DATA_INLINING_ROW_LIMIT 0") as peer:
        peer.run("CREATE TABLE t (a INT, b INT)")
        for first in (0, 10):
            peer.run(
                "BEGIN",
                f"INSERT INTO t SELECT i, 0 FROM range({first}, {first + 3}) r(i)",
                f"UPDATE t SET b = 1 WHERE a >= {first}",
                "COMMIT",
            )
    with Peer(lake) as peer:
        peer.run("UPDATE t SET b = 2 WHERE a IN (2, 12)")
    catalog = register(lake)

    spark.sql(f"UPDATE {catalog}.t SET b = 5 WHERE a IN (0, 10)")
    spark.sql(f"DELETE FROM {catalog}.t WHERE a = 0")

    shared = 10**18
    assert _both(spark, lake, catalog, "SELECT a, b, rowid FROM {t} WHERE a NOT IN (2, 12)") == [
        (1, 1, shared + 1),
        (10, 5, shared),
        (11, 1, shared + 1),
    ]
    found = _both(spark, lake, catalog, "SELECT a, b, rowid FROM {t} WHERE a IN (2, 12)")
    assert sorted(found) == [(2, 2, 6), (12, 2, 7)]


def test_a_merge_puts_changed_and_new_rows_into_the_catalog(
    spark: SparkSession, lake: Lake, register: Register
) -> None:
    made(
        lake,
        "CREATE TABLE t (id INT, s VARCHAR)",
        "INSERT INTO t SELECT i, 'o' FROM range(50) r(i)",
    )
    catalog = register(lake)

    spark.sql(
        f"MERGE INTO {catalog}.t AS t USING (SELECT CAST(id AS INT) AS id FROM range(48, 53)) AS s "
        "ON t.id = s.id WHEN MATCHED THEN UPDATE SET s = 'm' "
        "WHEN NOT MATCHED THEN INSERT (id, s) VALUES (s.id, 'i')"
    )

    rows = _both(spark, lake, catalog, "SELECT id, s, rowid FROM {t} WHERE s <> 'o'")
    assert [row[:2] for row in rows] == [(48, "m"), (49, "m"), (50, "i"), (51, "i"), (52, "i")]
    assert {row[2] for row in rows} == {48, 49, 50, 51, 52}
    assert _files(lake) == (1, 0)


@shared
def test_a_table_made_without_inlining_gets_its_room_when_it_needs_it(
    spark: SparkSession, lake: Lake, register: Register
) -> None:
    made(
        lake,
        "CREATE TABLE t (id INT)",
        "INSERT INTO t VALUES (1)",
        "ALTER TABLE t ADD COLUMN later INT",
        limit=0,
    )
    catalog = register(lake)

    with Peer(lake) as attached:
        assert attached.value("SELECT count(*) FROM t") == 1
        spark.sql(f"INSERT INTO {catalog}.t VALUES (2, 20)")
        attached.run("INSERT INTO t VALUES (3, 30)")
        attached.run("ALTER TABLE t ADD COLUMN last INT", "INSERT INTO t VALUES (4, 40, 400)")
    assert _files(lake) == (1, 0)
    assert _both(spark, lake, catalog, "SELECT id, later, last FROM {t}") == [
        (1, None, None),
        (2, 20, None),
        (3, 30, None),
        (4, 40, 400),
    ]


def test_a_column_that_came_while_inlining_was_off_breaks_nothing(
    spark: SparkSession, lake: Lake, register: Register
) -> None:
    with Peer(lake) as peer:
        peer.run(
            "CREATE TABLE t (id INT, a INT)",
            "INSERT INTO t VALUES (1, 1)",
            "CALL lake.set_option('data_inlining_row_limit', 0)",
            "ALTER TABLE t ALTER a TYPE BIGINT",
            "CALL lake.set_option('data_inlining_row_limit', 10)",
        )
    catalog = register(lake)

    spark.sql(f"INSERT INTO {catalog}.t VALUES (2, 5000000000)")

    assert _both(spark, lake, catalog, "SELECT id, a FROM {t}") == [(1, 1), (2, 5000000000)]
    made(lake, "INSERT INTO t VALUES (3, 6000000000)")
    assert len(_both(spark, lake, catalog, "SELECT id, a, rowid FROM {t}")) == 3


@since(EVOLVING_INSERT)
def test_tables_are_made_with_their_few_rows(
    spark: SparkSession, lake: Lake, register: Register
) -> None:
    catalog = register(lake)

    spark.sql(f"CREATE TABLE {catalog}.t AS SELECT 1 AS id, 'x' AS s")
    assert last_commit(lake)[1] == "{tables_created=[main.t], inlined_insert=[1]}"
    spark.sql(f"INSERT WITH SCHEMA EVOLUTION INTO {catalog}.t BY NAME SELECT 2 AS id, 5 AS more")
    assert last_commit(lake)[1] == "{tables_altered=[1], inlined_insert=[1]}"
    spark.sql(f"INSERT OVERWRITE {catalog}.t VALUES (3, 'y', 6)")
    assert last_commit(lake)[1] == "{inlined_insert=[1], inlined_delete=[1]}"

    assert _both(spark, lake, catalog, "SELECT id, s, more, rowid FROM {t}") == [(3, "y", 6, 2)]
    assert _files(lake) == (0, 0)
    before = spark.sql(f"SELECT * FROM {catalog}.t VERSION AS OF 2").orderBy("id").collect()
    assert [tuple(row) for row in before] == [(1, "x", None), (2, None, 5)]


@pytest.mark.parametrize("kind", ["sqlite"], indirect=True)
def test_dynamic_overwrite_replaces_the_partitions_of_inlined_rows(
    spark: SparkSession, lake: Lake, register: Register
) -> None:
    made(
        lake,
        "CREATE TABLE t (id INT, p INT)",
        "ALTER TABLE t SET PARTITIONED BY (p)",
        "INSERT INTO t SELECT i, i % 3 FROM range(30) r(i)",
        "INSERT INTO t VALUES (100, 0), (101, 1)",
    )
    catalog = register(lake)

    rows = spark.sql("SELECT 7 AS id, 0 AS p")
    rows.writeTo(f"{catalog}.t").overwritePartitions()

    kept = _both(spark, lake, catalog, "SELECT id, p FROM {t}")
    assert [row for row in kept if row[1] == 0] == [(7, 0)]
    assert len(kept) == 22


@since(VARIANT_WRITES)
def test_what_the_catalog_cannot_keep_goes_to_a_file(
    spark: SparkSession, lake: Lake, register: Register
) -> None:
    made(
        lake,
        "CREATE TABLE t (v VARIANT)",
        "CREATE TABLE n (l VARCHAR[])",
        "CREATE TABLE wide (s VARCHAR)",
    )
    made(lake, "CREATE TABLE r (row_id INT)", limit=0)
    catalog = register(lake)

    spark.sql(f"INSERT INTO {catalog}.t SELECT parse_json('[1]')")
    spark.sql(f"INSERT INTO {catalog}.r VALUES (5)")
    spark.sql(f"INSERT INTO {catalog}.wide SELECT repeat('x', 2000000) FROM range(0, 2, 1, 1)")
    spark.sql(
        f"INSERT INTO {catalog}.n VALUES (array('it\\'s', 'a\\\\b', '', 'NULL', '[x, y]', NULL))"
    )

    assert _files(lake, "t") == (1, 0)
    assert _files(lake, "r") == (1, 0)
    assert _files(lake, "wide") == (1, 0)
    with Peer(lake) as peer:
        assert peer.value("SELECT l FROM n") == ["it's", "a\\b", "", "NULL", "[x, y]", None]
        assert peer.value("SELECT row_id FROM r") == 5


@pytest.mark.parametrize("kind", ["sqlite"], indirect=True)
def test_text_that_is_none_is_refused(spark: SparkSession, lake: Lake, register: Register) -> None:
    made(lake, "CREATE TABLE t (s VARCHAR)")
    catalog = register(lake)

    with pytest.raises(PySparkException, match=r"DUCKLAKE_INVALID_VALUE.*`s`.*no UTF-8"):
        spark.sql(f"INSERT INTO {catalog}.t SELECT CAST(X'41FF' AS STRING)")

    assert last_commit(lake)[0] == 1


@pytest.mark.parametrize("kind", ["sqlite"], indirect=True)
def test_a_null_for_a_column_that_takes_none_is_refused(
    spark: SparkSession, lake: Lake, register: Register
) -> None:
    made(lake, "CREATE TABLE t (id INT NOT NULL)")
    catalog = register(lake)

    with pytest.raises(PySparkException, match=r"NOT NULL|NULL value"):
        spark.sql(
            f"INSERT INTO {catalog}.t SELECT CASE WHEN id = 0 THEN NULL ELSE 1 END FROM range(2)"
        )

    assert last_commit(lake)[0] == 1


@shared
def test_duckdb_goes_on_with_inlined_rows(
    spark: SparkSession, lake: Lake, register: Register
) -> None:
    made(lake, "CREATE TABLE t (id INT, s VARCHAR)")
    catalog = register(lake)
    in_files = register(lake, IN_FILES)

    with Peer(lake) as attached:
        spark.sql(f"INSERT INTO {catalog}.t VALUES (1, 'a'), (2, 'b')")
        attached.run("INSERT INTO t VALUES (3, 'c')", "UPDATE t SET s = 'd' WHERE id = 1")
        spark.sql(f"DELETE FROM {catalog}.t WHERE id = 2")
        spark.sql(f"INSERT INTO {in_files}.t SELECT id, 'f' FROM range(10, 40)")
        spark.sql(f"UPDATE {catalog}.t SET s = 'g' WHERE id IN (3, 11)")
        attached.run("ALTER TABLE t ADD COLUMN n INT", "DELETE FROM t WHERE id = 12")
        spark.sql(f"INSERT INTO {catalog}.t VALUES (4, 'h', 4)")
        attached.run("CALL ducklake_flush_inlined_data('lake')")
        spark.sql(f"UPDATE {catalog}.t SET n = 5 WHERE id IN (1, 4, 20)")

    rows = _both(spark, lake, catalog, "SELECT id, s, n, rowid FROM {t}")
    assert len(rows) == 32
    assert {row[0]: row[1:3] for row in rows if row[0] in (1, 3, 4, 11, 20)} == {
        1: ("d", 5),
        3: ("g", None),
        4: ("h", 5),
        11: ("g", None),
        20: ("f", 5),
    }


def test_decimals_keep_their_digits_in_tables_made_here(
    spark: SparkSession, lake: Lake, register: Register
) -> None:
    catalog = register(lake)
    spark.sql(f"CREATE TABLE {catalog}.t (id INT, d DECIMAL(38, 10))")
    digits = "1234567890123456789012345678.0123456789"

    with Peer(lake) as peer:
        peer.run(f"INSERT INTO t VALUES (1, {digits})")
    spark.sql(f"INSERT INTO {catalog}.t VALUES (2, {digits}BD)")

    assert _files(lake) == (0, 0)
    rows = _both(spark, lake, catalog, "SELECT id, CAST(d AS VARCHAR(50)) FROM {t}")
    assert rows == [(1, digits), (2, digits)]


def test_a_new_table_that_keeps_rows_has_one_schema_version(
    spark: SparkSession, lake: Lake, register: Register
) -> None:
    catalog = register(lake, IN_FILES)

    spark.range(2).writeTo(f"{catalog}.main.t").option("data_inlining_row_limit", "5").create()

    assert last_commit(lake)[1] == "{tables_created=[main.t], inlined_insert=[1]}"
    assert _both(spark, lake, catalog, "SELECT id FROM {t}") == [(0,), (1,)]
    with Peer(lake) as peer:
        versions = peer.rows(
            "SELECT begin_snapshot, schema_version, table_id"
            " FROM __ducklake_metadata_lake.ducklake_schema_versions WHERE table_id = 1"
        )
    assert versions == [(1, 1, 1)]
