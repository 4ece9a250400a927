"""Lakes that somebody publishes: catalog and files are read by HTTP, and nothing is written."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from support import rclone
from support.lakes import CatalogKind, Lake, LakeFactory
from support.peer import Peer, connect, literal, made
from support.storeproxy import Request, StoreProxy

pytestmark = pytest.mark.every_database

Register = Callable[..., str]

WAIT_SECONDS = 30
QUESTION = "SELECT count(*), sum(a), max(b), count(DISTINCT p) FROM {}t{}"


@dataclass(frozen=True)
class Site:
    """A lake in a folder that a web server shows.

    Attributes:
        local: as its owner has it.
        public: as everybody reads it.
        proxy: sees the requests.
    """

    local: Lake
    public: Lake
    proxy: StoreProxy


@pytest.fixture(params=["duckdb", "sqlite"])
def kind(request: pytest.FixtureRequest) -> CatalogKind:
    """The kinds whose catalog is a file."""
    chosen: CatalogKind = request.param
    return chosen


@pytest.fixture
def site(lakes: LakeFactory, kind: CatalogKind, tmp_path: Path) -> Iterator[Site]:
    """A lake with a partitioned table, two snapshots of rows, a delete file and inlined rows."""
    local = lakes.new(kind)
    folder = Path(local.database).parent
    made(
        local,
        "CREATE TABLE t (a BIGINT, b VARCHAR, p VARCHAR)",
        "ALTER TABLE t SET PARTITIONED BY (p)",
        "INSERT INTO t SELECT i, 'x' || i, 'p' || i % 2 FROM range(1000) r(i)",
        "DELETE FROM t WHERE a % 10 = 3",
        "INSERT INTO t VALUES (5000, 'last', 'new')",
        "CREATE TABLE odd (a BIGINT, p VARCHAR)",
        "ALTER TABLE odd SET PARTITIONED BY (p)",
        "INSERT INTO odd SELECT i, 'ü /%' || i % 2 FROM range(100) r(i)",
        limit=10,
    )
    with rclone.serving(
        "http", folder, tmp_path / "log", "--read-only", "--dir-cache-time", "0s"
    ) as port:
        proxy = StoreProxy(port)
        root = f"http://127.0.0.1:{proxy.port}"
        published(local, f"{root}/data/")
        name = "sqlite:" if kind == "sqlite" else ""
        uri = f"ducklake:{name}{root}/{Path(local.database).name}"
        yield Site(local, replace(local, uri=uri), proxy)
        proxy.close()


def published(lake: Lake, data: str) -> None:
    """Write into the catalog where everybody finds the files, as its owner does."""
    with connect() as peer:
        kind = "sqlite" if lake.kind == "sqlite" else "duckdb"
        peer.execute(f"ATTACH {literal(lake.database)} AS m (TYPE {kind})")
        peer.execute(
            f"UPDATE m.ducklake_metadata SET value = {literal(data)} WHERE key = 'data_path'"
        )


def moved(site: Site) -> Lake:
    """The owner's lake, whose catalog names the public data path."""
    return replace(site.local, is_moved=True)


def files_of(requests: list[Request]) -> list[str]:
    """The methods of the requests for Parquet files."""
    return [one.method for one in requests if one.path.endswith(".parquet")]


def test_both_engines_read_a_public_lake(
    spark: SparkSession, site: Site, register: Register, kind: CatalogKind
) -> None:
    catalog = register(site.public)
    owner = Peer(moved(site), "READ_ONLY")
    with owner as peer:
        head = peer.head()
        now = peer.rows(QUESTION.format("", ""))
        before = peer.rows(QUESTION.format("", f" AT (VERSION => {head - 5})"))

    with site.proxy.listed() as requests:
        found = spark.sql(QUESTION.format(f"{catalog}.", "")).collect()
    then = spark.sql(QUESTION.format(f"{catalog}.", f" VERSION AS OF {head - 5}")).collect()

    assert [tuple(row) for row in found] == now == [(901, 454700, "x999", 3)]
    assert [tuple(row) for row in then] == before
    assert set(files_of(requests)) == {"GET"}, "no file is asked for its size"
    changes = f"SELECT count(*) FROM ducklake_table_changes('{catalog}', 'main', 't', 1, {head})"
    assert spark.sql(changes).first() == (1101,)
    if kind == "duckdb":
        with connect("httpfs") as peer_of_all:
            peer_of_all.execute(f"ATTACH {literal(site.public.uri)} AS lake")
            assert peer_of_all.execute(QUESTION.format("lake.", "")).fetchall() == now


def test_folders_with_odd_names(spark: SparkSession, site: Site, register: Register) -> None:
    """DuckDB 1.5 asks for them without encoding the signs of percent, and finds nothing."""
    catalog = register(site.public)

    found = spark.sql(f"SELECT p, count(*), sum(a) FROM {catalog}.odd GROUP BY ALL ORDER BY ALL")

    assert [tuple(row) for row in found.collect()] == [("ü /%0", 50, 2450), ("ü /%1", 50, 2500)]


def test_a_public_lake_is_never_written(
    spark: SparkSession, site: Site, register: Register
) -> None:
    catalog = register(site.public)
    statements = (
        f"INSERT INTO {catalog}.t VALUES (1, 'x', 'y')",
        f"DELETE FROM {catalog}.t WHERE a = 1",
        f"CREATE TABLE {catalog}.u (a INT)",
        f"CALL {catalog}.system.merge_adjacent_files('t')",
        f"CALL {catalog}.system.set_option('target_file_size', '1MB')",
        f"CALL {catalog}.system.cleanup_old_files(cleanup_all => true)",
        f"CALL {catalog}.system.delete_orphaned_files(cleanup_all => true)",
    )

    for statement in statements:
        with pytest.raises(PySparkException, match="DUCKLAKE_READ_ONLY"):
            spark.sql(statement).collect()


def test_a_catalog_of_ones_own_may_have_its_files_on_the_web(
    spark: SparkSession, site: Site, register: Register
) -> None:
    catalog = register(site.local)

    spark.sql(f"INSERT INTO {catalog}.t VALUES (6000, 'kept in the catalog', 'new')")
    with pytest.raises(PySparkException, match="files are only read by HTTP") as answer:
        spark.sql(f"INSERT INTO {catalog}.t SELECT id, 'y', 'p0' FROM range(100)")

    assert "DUCKLAKE_UNWRITABLE_FILE" in str(answer.value)
    assert spark.sql(QUESTION.format(f"{catalog}.", "")).first() == (902, 460700, "x999", 3)


def test_a_lake_that_is_published_anew_is_read_anew(
    spark: SparkSession, site: Site, register: Register
) -> None:
    catalog = register(site.public)
    assert spark.table(f"{catalog}.t").count() == 901

    with Peer(moved(site)) as peer:
        peer.run("INSERT INTO t VALUES (6000, 'later', 'new')")

    deadline = time.monotonic() + WAIT_SECONDS
    while spark.table(f"{catalog}.t").count() == 901:
        assert time.monotonic() < deadline, "the new snapshot is not seen"
    assert spark.table(f"{catalog}.t").count() == 902


def test_what_is_not_published_is_told(spark: SparkSession, site: Site, register: Register) -> None:
    nothing = register(replace(site.public, uri=f"{site.public.uri}.not"))
    catalog = register(site.public)

    with pytest.raises(PySparkException, match="the server answers 404"):
        spark.table(f"{nothing}.t")
    for file in site.local.data_path.rglob("*.parquet"):
        file.unlink()
    with pytest.raises(PySparkException, match="it does not exist"):
        spark.sql(f"SELECT max(b) FROM {catalog}.t WHERE a < 900").collect()


def test_limits_of_a_copy_are_keys_of_the_catalog(
    spark: SparkSession, site: Site, register: Register
) -> None:
    size = Path(site.local.database).stat().st_size
    large = register(site.public, {"web.max-bytes": str(size - 1)})
    slow = register(site.public, {"web.timeout-ms": "200"})
    enough = register(site.public, {"web.max-bytes": str(size), "web.timeout-ms": "60000"})

    with pytest.raises(PySparkException, match=r"web\.max-bytes"):
        spark.table(f"{large}.t")
    with site.proxy.refusing(lambda _: time.sleep(1)):  # refuses nothing, but takes a second
        with pytest.raises(PySparkException, match=r"timed out|web\.timeout-ms"):
            spark.table(f"{slow}.t")
    assert spark.table(f"{enough}.t").count() == 901
