"""Files as DuckDB 2.0 merges them.

Across changes of columns, several of one merge, and files of a layout that no snapshot ever had.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from pyspark.sql import SparkSession

from support import peer as duckdb_peer
from support.asking import rows
from support.catalogdb import Row, execute, read_catalog
from support.feeds import PlayedStory, Story, by_duckdb, by_spark, play
from support.lakes import IN_FILES, Lake, LakeFactory
from support.peer import Peer, literal

Register = Callable[..., str]

ROW_ID, SNAPSHOT_ID = "_ducklake_internal_row_id", "_ducklake_internal_snapshot_id"
OWN_FIELDS = f"{ROW_ID}: 2147483540, {SNAPSHOT_ID}: 2147483539"


def by_peer(lake: Lake, versions: Iterable[int]) -> list[list[str]]:
    """The rows of each snapshot by DuckDB, with their row ids."""
    with Peer(lake) as peer:
        rows = [peer.rows(f"SELECT rowid, * FROM t AT (VERSION => {at})") for at in versions]
    return [sorted(map(str, each)) for each in rows]


def found(spark: SparkSession, catalog: str, versions: Iterable[int]) -> list[list[str]]:
    """The rows of each snapshot by Spark, with their row ids."""
    queries = [f"SELECT rowid, * FROM {catalog}.t VERSION AS OF {at}" for at in versions]
    return [sorted(map(str, rows(spark, query))) for query in queries]


def live_files(lake: Lake) -> list[Row]:
    """The live data files, in the order of their ids."""
    files = [row for row in read_catalog(lake).rows("data_file") if row["end_snapshot"] is None]
    return sorted(files, key=lambda row: int(row["data_file_id"]))


def merge(lake: Lake, files: Sequence[Row], columns: str, select: str, parts: int = 1) -> None:
    """Put files with the rows of all these in their place, as one merge with several outputs.

    Args:
        lake: its table has no other files and no deletes.
        files: live files, each of one snapshot.
        columns: names and field ids of the columns, for DuckDB's FIELD_IDS.
        select: their values, from a file.
        parts: the number of outputs.
    """
    folder = next(lake.data_path.rglob(str(files[0]["path"]))).parent
    sources = " UNION ALL BY NAME ".join(
        f"SELECT *, {file['row_id_start']} + file_row_number AS {ROW_ID}, "
        f"CAST({file['begin_snapshot']} AS BIGINT) AS {SNAPSHOT_ID} "
        f"FROM read_parquet({literal(str(folder / str(file['path'])))}, file_row_number = true)"
        for file in files
    )
    begins = [int(file["begin_snapshot"]) for file in files]
    first_id = max(int(file["data_file_id"]) for file in files) + 1
    statements = ["DELETE FROM ducklake_data_file", "DELETE FROM ducklake_file_column_stats"]
    with duckdb_peer.connect() as connection:
        connection.execute(
            f"CREATE TABLE merged AS SELECT {select}, {ROW_ID}, {SNAPSHOT_ID} "
            f"FROM ({sources}) ORDER BY {ROW_ID}"
        )
        (total,) = connection.execute("SELECT count(*) FROM merged").fetchall()[0]
        size = -(-total // parts)
        for part in range(parts):
            path = folder / f"merged-{part}.parquet"
            chosen = f"FROM merged ORDER BY {ROW_ID} LIMIT {size} OFFSET {part * size}"
            fields = f"{{{columns}, {OWN_FIELDS}}}"
            connection.execute(f"COPY ({chosen}) TO '{path}' (FORMAT parquet, FIELD_IDS {fields})")
            statements.append(data_file(path, first_id + part, files[0], begins))
    last = first_id + parts
    statements.append(
        f"UPDATE ducklake_snapshot SET next_file_id = {last} WHERE "
        f"snapshot_id = (SELECT max(snapshot_id) FROM ducklake_snapshot)"
    )
    execute(lake, *statements)


def data_file(path: Path, number: int, model: Row, begins: Sequence[int]) -> str:
    """The catalog row of an output: begin and largest snapshot are those of the whole merge."""
    data = path.read_bytes()
    (footer,) = struct.unpack_from("<I", data, len(data) - 8)
    with duckdb_peer.connect() as connection:
        query = f"SELECT count(*) FROM read_parquet({literal(str(path))})"
        (count,) = connection.execute(query).fetchall()[0]
    return (
        "INSERT INTO ducklake_data_file (data_file_id, table_id, begin_snapshot, path, "
        "path_is_relative, file_format, record_count, file_size_bytes, footer_size, partial_max) "
        f"VALUES ({number}, {model['table_id']}, {min(begins)}, '{path.name}', 1, 'parquet', "
        f"{count}, {len(data)}, {footer}, {max(begins)})"
    )


def played(lakes: LakeFactory, *steps: str) -> tuple[Lake, PlayedStory]:
    """A lake in which DuckDB ran these statements about `t`, and what it reports."""
    lake = lakes.new("sqlite")
    (story,) = play(lake, [Story("t", steps)], limit=0)
    return lake, story


WIDENED = [
    "CREATE TABLE {t} (a BIGINT)",
    "INSERT INTO {t} SELECT i FROM range(3) r(i)",
    "ALTER TABLE {t} ADD COLUMN b VARCHAR DEFAULT 'old'",
    "INSERT INTO {t} VALUES (10, 'x'), (11, NULL)",
    "ALTER TABLE {t} ADD COLUMN c INTEGER",
    "INSERT INTO {t} VALUES (20, 'y', 5)",
]


def merge_widened(lake: Lake, story: PlayedStory, parts: int = 1) -> None:
    """Merge the files of a table that had two columns added."""
    own = f"{SNAPSHOT_ID} < {story.before + 4}"
    select = f"a, CASE WHEN {own} THEN 'old' ELSE b END AS b, CAST(c AS INTEGER) AS c"
    merge(lake, live_files(lake), "a: 1, b: 2, c: 3", select, parts)


def test_a_file_may_have_columns_that_are_younger_than_its_rows(
    spark: SparkSession, lakes: LakeFactory, register: Register
) -> None:
    lake, story = played(lakes, *WIDENED)
    versions = range(story.before + 2, story.head + 1)
    feeds = story.feeds(are_many=True)
    wanted, changes = by_peer(lake, versions), by_duckdb(lake, feeds)

    merge_widened(lake, story)

    catalog = register(lake, IN_FILES)
    assert found(spark, catalog, versions) == wanted
    assert by_spark(spark, catalog, feeds) == changes
    assert by_peer(lake, versions) == wanted


def test_compaction_keeps_columns_that_are_younger_than_the_rows(
    spark: SparkSession, lakes: LakeFactory, register: Register
) -> None:
    lake, story = played(lakes, *WIDENED)
    versions = range(story.before + 2, story.head + 1)
    wanted = by_peer(lake, versions)
    merge_widened(lake, story, parts=2)
    catalog = register(lake, IN_FILES)

    spark.sql(f"CALL {catalog}.system.merge_adjacent_files('t')")
    assert len(live_files(lake)) == 1
    assert found(spark, catalog, versions) == wanted
    assert by_peer(lake, versions) == wanted

    spark.sql(f"DELETE FROM {catalog}.t WHERE a = 0")
    spark.sql(f"CALL {catalog}.system.rewrite_data_files('t', delete_threshold => 0.0)")
    assert found(spark, catalog, versions) == wanted
    assert sorted(rows(spark, f"SELECT * FROM {catalog}.t")) == [
        (1, "old", None),
        (2, "old", None),
        (10, "x", None),
        (11, None, None),
        (20, "y", 5),
    ]


def test_a_merge_may_have_several_outputs(
    spark: SparkSession, lakes: LakeFactory, register: Register
) -> None:
    lake, story = played(
        lakes,
        "CREATE TABLE {t} (a BIGINT)",
        *(f"INSERT INTO {{t}} SELECT i FROM range({10 * n}, {10 * n + 3}) r(i)" for n in range(4)),
    )
    versions = range(story.before + 2, story.head + 1)
    feeds = story.feeds(are_many=True)
    wanted, changes = by_peer(lake, versions), by_duckdb(lake, feeds)

    merge(lake, live_files(lake), "a: 1", "a", parts=3)

    catalog = register(lake, IN_FILES)
    assert len(live_files(lake)) == 3
    assert found(spark, catalog, versions) == wanted
    assert by_spark(spark, catalog, feeds) == changes
    counts = [row[0] for row in rows(spark, f"SELECT count(*) FROM {catalog}.t")]
    assert counts == [12]

    spark.sql(f"DELETE FROM {catalog}.t WHERE a IN (1, 31)")
    spark.sql(f"CALL {catalog}.system.merge_adjacent_files('t')")
    assert found(spark, catalog, versions) == wanted
    assert by_spark(spark, catalog, feeds) == changes


def test_a_file_may_have_a_layout_that_no_snapshot_had(
    spark: SparkSession, lakes: LakeFactory, register: Register
) -> None:
    lake, _ = played(
        lakes,
        "CREATE TABLE {t} (a BIGINT, p VARCHAR)",
        "ALTER TABLE {t} SET PARTITIONED BY (p)",
        "INSERT INTO {t} VALUES (1, 'x'), (2, 'y')",
        "ALTER TABLE {t} SET PARTITIONED BY (a)",
        "INSERT INTO {t} VALUES (3, 'z')",
    )
    # As when one transaction sets the first layout, inserts rows, and sets the second.
    old = min(int(row["partition_id"]) for row in read_catalog(lake).rows("partition_info"))
    execute(
        lake,
        "UPDATE ducklake_partition_info SET end_snapshot = begin_snapshot "
        f"WHERE partition_id = {old}",
    )
    catalog = register(lake, IN_FILES)
    table = f"{catalog}.t"

    assert sorted(rows(spark, f"SELECT a, p FROM {table}")) == [(1, "x"), (2, "y"), (3, "z")]
    assert rows(spark, f"SELECT a FROM {table} WHERE p = 'y'") == [(2,)]
    spark.sql(f"UPDATE {table} SET p = 'w' WHERE a = 2")
    spark.sql(f"INSERT INTO {table} VALUES (4, 'z')")
    spark.sql(f"CALL {catalog}.system.rewrite_data_files('t', delete_threshold => 0.0)")
    spark.sql(f"CALL {catalog}.system.merge_adjacent_files('t')")
    wanted = [(1, "x"), (2, "w"), (3, "z"), (4, "z")]
    assert sorted(rows(spark, f"SELECT a, p FROM {table}")) == wanted
    with Peer(lake) as peer:
        assert peer.rows("SELECT a, p FROM t ORDER BY a") == wanted
