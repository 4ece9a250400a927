"""Older catalogs brought up to 1.0 by Spark are what DuckDB makes of them.

But for the types of inlined tables in PostgreSQL, which DuckDB 1.5 leaves as they are.

Those brought up to 1.1 are what plain SQL makes of DuckDB's 1.0. DuckDB 2 migrates to 1.1, so where
it is the peer (`support/ownbuild.py`), all are compared with that.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import duckdb
import pytest
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from support import ownbuild
from support.asking import refused
from support.catalogdb import execute, read_catalog
from support.expected import Snapshot
from support.fixtures import Fixture, FixtureStore, all_fixtures
from support.lakes import CATALOG_KINDS, CatalogKind, Lake, LakeFactory
from support.logs import logged
from support.metadata import Allowed, compare
from support.peer import Peer, identifier
from support.postgres import PostgresServer
from support.raising import convert_inlined, raise_to_11
from support.sweep import FULL

Register = Callable[..., str]

IS_DUCKDB_2 = ownbuild.EXTENSION is not None
NEWEST = "1.1" if IS_DUCKDB_2 else "1.0"
OLDER = [
    f
    for f in all_fixtures()
    if f.spec < NEWEST and f.case != "encrypted" and (f.kind in ownbuild.KINDS or not IS_DUCKDB_2)
]
DEFAULT_CASES = ("schema_evolution", "merged", "inlined", "expired")


def _is_same_place(left: object, right: object) -> bool:
    return str(left).replace("/spark/", "/duckdb/") == str(right)


ALLOWED = [
    *(
        Allowed(
            "place of the lake",
            "the two lakes lie in two folders, and the paths are absolute",
            table,
            "path",
            _is_same_place,
        )
        for table in (
            "ducklake_schema",
            "ducklake_table",
            "ducklake_data_file",
            "ducklake_delete_file",
        )
    ),
    Allowed(
        "order of columns",
        "DuckDB's migration leaves types behind that a new 1.0 catalog does not have",
        "(columns of the tables)",
        "columns",
        lambda left, right: [name for name, _ in left] == [name for name, _ in right],
    ),
]

FORGOTTEN = Allowed(
    "versions whose snapshots have expired",
    "DuckDB's migration forgets them, and its compaction misreads the files then",
    "ducklake_schema_versions",
    None,
    lambda left, right: left is not None and right is None,
)


def _chosen() -> list[Fixture]:
    return [f for f in OLDER if FULL or f.case in DEFAULT_CASES]


@pytest.fixture(scope="module")
def stores(
    tmp_path_factory: pytest.TempPathFactory, server: PostgresServer
) -> tuple[FixtureStore, FixtureStore]:
    """Each older lake twice, to be written to."""
    folder: Path = tmp_path_factory.mktemp("migrations")
    return FixtureStore(folder / "spark", server), FixtureStore(folder / "duckdb", server)


def _migrated_by_spark(
    spark: SparkSession, lake: Lake, register: Register, version: str = NEWEST
) -> None:
    catalog = register(lake, {"automatic-migration": "true", "ducklake-version": version})
    # A procedure that writes, and finds that there is nothing to do.
    spark.sql(f"CALL {catalog}.system.cleanup_old_files(older_than => TIMESTAMP '2000-01-01')")


def _migrated_by_duckdb(lake: Lake) -> str | None:
    """What DuckDB says when it cannot; it migrates 0.2 in its own files only."""
    try:
        with Peer(lake, "AUTOMATIC_MIGRATION true"):
            return None
    except duckdb.Error as failure:
        return str(failure)


def read_by_duckdb(lake: Lake, recorded: Snapshot) -> dict[tuple[str, str], list[str]]:
    """The rows of the newest snapshot's tables, as they are recorded."""
    with Peer(lake) as peer:
        assert peer.head() == recorded.id
        return {
            (schema, name): sorted(
                map(repr, peer.texts(f"SELECT * FROM {identifier(schema)}.{identifier(name)}")[1])
            )
            for schema, name in recorded.tables
        }


@pytest.mark.parametrize("fixture", _chosen(), ids=str)
def test_spark_migrates_as_duckdb_does(
    fixture: Fixture,
    stores: tuple[FixtureStore, FixtureStore],
    spark: SparkSession,
    register: Register,
) -> None:
    ours, theirs = (store.lake(fixture) for store in stores)

    _migrated_by_spark(spark, ours, register)

    if failure := _migrated_by_duckdb(theirs):
        assert fixture.spec == "0.2", failure
        assert fixture.kind != "duckdb", failure
        recorded = stores[0].expected(fixture)[-1]
        assert read_by_duckdb(ours, recorded) == {
            (each.schema, each.name): sorted(map(repr, each.rows))
            for each in recorded.relations
            if each.kind == "table"
        }
    else:
        if fixture.kind == "postgres" and fixture.spec < "0.4":
            convert_inlined(theirs)
        allowed = [*ALLOWED, FORGOTTEN] if fixture.case == "expired" else ALLOWED
        result = compare(read_catalog(ours), read_catalog(theirs), allowed)
        assert not result.report("Spark", "DuckDB")


@pytest.mark.parametrize("kind", CATALOG_KINDS)
def test_duckdb_compacts_files_of_versions_whose_snapshots_had_expired(
    kind: CatalogKind,
    tmp_path: Path,
    server: PostgresServer,
    spark: SparkSession,
    register: Register,
) -> None:
    """After its own migration DuckDB ends with an internal error."""
    fixture = Fixture("0.2", kind, "expired")
    store = FixtureStore(tmp_path, server)
    lake, recorded = store.lake(fixture), store.expected(fixture)[-1]
    _migrated_by_spark(spark, lake, register)
    before = read_by_duckdb(lake, recorded)

    with Peer(lake) as peer:
        peer.run(
            "CALL ducklake_merge_adjacent_files('lake')",
            *(
                f"CALL ducklake_rewrite_data_files('lake', '{name}', delete_threshold => 0, "
                f"schema => '{schema}')"
                for schema, name in recorded.tables
            ),
        )
        after = {
            (schema, name): sorted(
                map(repr, peer.texts(f"SELECT * FROM {identifier(schema)}.{identifier(name)}")[1])
            )
            for schema, name in recorded.tables
        }

    assert after == before


@pytest.mark.parametrize("target", ["1.0", "1.1"])
def test_versions_that_duckdbs_migration_forgot_are_added(
    lakes: LakeFactory, spark: SparkSession, register: Register, target: str
) -> None:
    """Without them DuckDB merges files of the version with the columns of an older one."""
    lake = lakes.new("sqlite")
    with Peer(lake, "DATA_INLINING_ROW_LIMIT 0") as peer:
        peer.run(
            "CREATE TABLE t (a INT)",
            "INSERT INTO t VALUES (1)",
            "ALTER TABLE t ADD COLUMN w INT",
            "INSERT INTO t VALUES (2, 20)",
            "INSERT INTO t VALUES (3, 30)",
            "CREATE TABLE u (x INT)",
            "INSERT INTO t VALUES (4, 40)",
        )
    versions = read_catalog(lake).rows("schema_versions")
    execute(
        lake,
        "UPDATE ducklake_metadata SET value = '0.4' WHERE key = 'version'",
        "DELETE FROM ducklake_schema_versions WHERE begin_snapshot = 3",
        "INSERT INTO ducklake_schema_versions VALUES (6, 3, 1)",
    )

    _migrated_by_spark(spark, lake, register, target)

    versions.append({"begin_snapshot": 6, "schema_version": 3, "table_id": 1})
    assert sorted(map(str, read_catalog(lake).rows("schema_versions"))) == sorted(
        map(str, versions)
    )
    if target == NEWEST:
        with Peer(lake) as peer:
            peer.run("CALL ducklake_merge_adjacent_files('lake')")
            rows = [(1, None), (2, 20), (3, 30), (4, 40)]
            assert peer.rows("SELECT * FROM t ORDER BY a") == rows


RAISED = [
    Fixture(spec, kind, case)
    for kind in CATALOG_KINDS
    for spec, case in (("1.0", "inlined"), ("1.0", "schema_evolution"), ("0.4", "inlined"))
]


@pytest.mark.parametrize("fixture", RAISED, ids=str)
def test_spark_migrates_to_1_1_as_plain_sql_does(
    fixture: Fixture,
    tmp_path: Path,
    server: PostgresServer,
    spark: SparkSession,
    register: Register,
) -> None:
    ours, theirs = (
        FixtureStore(tmp_path / engine, server).lake(fixture) for engine in ("spark", "duckdb")
    )

    _migrated_by_spark(spark, ours, register, "1.1")
    assert _migrated_by_duckdb(theirs) is None
    raise_to_11(theirs)

    result = compare(read_catalog(ours), read_catalog(theirs), ALLOWED)
    assert not result.report("Spark", "plain SQL")


def test_what_a_migration_forgets_is_warned_of(
    tmp_path: Path, server: PostgresServer, spark: SparkSession, register: Register
) -> None:
    store = FixtureStore(tmp_path, server)
    with logged(spark, "ducklake.catalog.commit.migration.Migration") as warnings:
        _migrated_by_spark(spark, store.lake(Fixture("0.3", "sqlite", "dml")), register)
        assert "snapshots before" not in warnings.toString()
        _migrated_by_spark(spark, store.lake(Fixture("0.3", "sqlite", "merged")), register)
        lost = "merged files of evo, p, t, with_deletes: snapshots before 24 show rows of later"
        assert lost in warnings.toString()


def test_a_column_with_a_name_of_1_1_stops_the_migration(
    lakes: LakeFactory, spark: SparkSession, register: Register
) -> None:
    lake = lakes.new("sqlite")
    with Peer(lake) as peer:
        peer.run('CREATE TABLE t ("_ducklake_row_id" INTEGER)', "INSERT INTO t VALUES (1)")
    before = read_catalog(lake)
    catalog = register(lake, {"automatic-migration": "true", "ducklake-version": "1.1"})

    refused(spark, f"CREATE SCHEMA {catalog}.s", "DUCKLAKE_UNSUPPORTED", "_ducklake_row_id")

    assert read_catalog(lake) == before


def test_nothing_is_migrated_unasked(
    tmp_path: Path, server: PostgresServer, spark: SparkSession, register: Register
) -> None:
    lake = FixtureStore(tmp_path, server).lake(Fixture("0.4", "sqlite", "dml"))
    before = read_catalog(lake)
    catalog = register(lake)

    with pytest.raises(PySparkException, match="automatic-migration"):
        spark.sql(f"CREATE SCHEMA {catalog}.new")

    assert read_catalog(lake) == before
