"""A lake with a history to expire, calls of the maintenance, and what is left afterwards."""

from __future__ import annotations

from pathlib import Path

from pyspark.sql import SparkSession

from support.catalogdb import Catalog, read_catalog
from support.flushing import Rows, texts
from support.lakes import Lake
from support.peer import Peer, literal

OWN_COLUMNS = ("kept_as", "kept_for", "strands")
"""What our result of an expiry has, and DuckDB's has not."""
STEPS = (
    "CREATE TABLE t (i INT, s VARCHAR)",
    "INSERT INTO t SELECT i, 's' || i FROM range(40) r(i)",
    "DELETE FROM t WHERE i < 20",
    "DELETE FROM t WHERE i < 30",
    "INSERT INTO t VALUES (100, 'a'), (101, NULL)",
    "UPDATE t SET s = 'b' WHERE i = 100",
    "ALTER TABLE t ADD COLUMN x INT DEFAULT 7",
    "COMMENT ON TABLE t IS 'rows'",
    "ALTER TABLE t RENAME TO t2",
    "ALTER TABLE t2 RENAME TO t",
    "CREATE TABLE p (k INT, v INT)",
    "ALTER TABLE p SET PARTITIONED BY (k)",
    "ALTER TABLE p SET SORTED BY (v DESC)",
    "INSERT INTO p SELECT i % 3, i FROM range(60) r(i)",
    "INSERT INTO p VALUES (1, 1)",
    "DELETE FROM p WHERE v % 2 = 0",
    "COMMENT ON COLUMN p.v IS 'value'",
    "CREATE SCHEMA other",
    "CREATE VIEW other.seen AS SELECT i FROM t",
    "CREATE MACRO other.twice(a) AS a * 2",
    "CREATE TABLE other.u AS SELECT i, {'a': i} AS n FROM range(30) r(i)",
    "INSERT INTO other.u VALUES (5, {'a': 1})",
    "DROP TABLE p",
    "DROP VIEW other.seen",
    "DROP MACRO other.twice",
    "DROP TABLE other.u",
    "DROP SCHEMA other",
    "DELETE FROM t WHERE i = 35",
    "INSERT INTO t SELECT i, 'n', i FROM range(200, 230) r(i)",
    "DELETE FROM t WHERE i BETWEEN 205 AND 225",
)


def expire(spark: SparkSession, catalog: str, arguments: str) -> Rows:
    """The ids, schema versions and changes of the snapshots that go."""
    called = spark.sql(f"CALL {catalog}.system.expire_snapshots({arguments})")
    assert called.columns == [
        *("snapshot_id", "snapshot_time", "schema_version", "changes"),
        *("author", "commit_message", "commit_extra_info"),
        *OWN_COLUMNS,
    ]
    return [(row.snapshot_id, row.schema_version, row.changes) for row in called.collect()]


def cleanup(spark: SparkSession, catalog: str, arguments: str = "") -> list[str]:
    """The deleted files."""
    called = spark.sql(f"CALL {catalog}.system.cleanup_old_files({arguments})")
    assert called.columns == ["path"]
    return sorted(row.path for row in called.collect())


def made(lake: Lake) -> int:
    """Runs the steps, with an added file whose names are mapped; the newest snapshot."""
    with Peer(lake) as peer:
        lake.data_path.mkdir(exist_ok=True)
        added = literal(str(lake.data_path / "added.parquet"))
        peer.run(
            *STEPS[:11],
            f"COPY (SELECT 7 AS k, 8 AS v) TO {added}",
            f"CALL ducklake_add_data_files('lake', 'p', {added})",
            *STEPS[11:],
        )
        return peer.head()


def parquet_files(lake: Lake) -> set[Path]:
    """The files below the data path."""
    return set(lake.data_path.rglob("*.parquet"))


FILES = ("data_file", "delete_file")


def listed(lake: Lake, *tables: str) -> set[str]:
    """The names of the files in tables of the catalog; by default listed or scheduled."""
    catalog = read_catalog(lake)
    tables = tables or (*FILES, "files_scheduled_for_deletion")
    return {str(row["path"]).rpartition("/")[2] for name in tables for row in catalog.rows(name)}


def history(lake: Lake) -> dict[int, Rows]:
    """The rows of `t` in each snapshot that is kept and has it, as DuckDB reads them."""
    with Peer(lake) as peer:
        kept = [
            int(id) for (id,) in peer.rows("SELECT snapshot_id FROM ducklake_snapshots('lake')")
        ]
        named = [id for id in kept if id > 0 and id != 9]
        return {
            id: texts(peer.rows(f"SELECT rowid, * FROM t AT (VERSION => {id})")) for id in named
        }


def flushed(lake: Lake) -> Rows:
    """What DuckDB finds to flush."""
    with Peer(lake) as peer:
        return texts(peer.rows("CALL ducklake_flush_inlined_data('lake')"))


def placed(lake: Lake) -> Catalog:
    """The catalog, with the data path as `data` in absolute paths."""
    catalog = read_catalog(lake)
    for row in catalog.rows("data_file"):
        row["path"] = row["path"].replace(str(lake.data_path), "data")
    return catalog


def leftovers(lake: Lake) -> list[str]:
    """Statements that remove what DuckDB's expiry leaves and Spark's does not.

    These are deletes from data files that are gone, tags of schemas that are gone (and of their
    tables), and options of tables and schemas that are gone.
    """
    deletes = [
        name for name in read_catalog(lake).tables if name.startswith("ducklake_inlined_del")
    ]
    of_files = [
        f"DELETE FROM {name} WHERE file_id NOT IN (SELECT data_file_id FROM ducklake_data_file)"
        for name in deletes
    ]
    owners = {
        kind: f"SELECT {kind}_id FROM ducklake_{kind}" for kind in ("schema", "table", "view")
    }
    return [
        *of_files,
        f"DELETE FROM ducklake_tag WHERE object_id NOT IN ({' UNION ALL '.join(owners.values())})",
        *(
            f"DELETE FROM ducklake_metadata WHERE scope = '{kind}' "
            f"AND scope_id NOT IN ({owners[kind]})"
            for kind in ("schema", "table")
        ),
    ]
