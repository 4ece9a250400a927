"""`format("ducklake")` reads, writes and streams the same tables as names in SQL."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from pyspark.errors import PySparkException, StreamingQueryException
from pyspark.sql import DataFrame, SparkSession

from support.asking import rows
from support.connect import connected, serving
from support.lakes import Lake
from support.lines import EVOLVING_INSERT, since
from support.peer import Peer, made
from support.streams import Feed

Register = Callable[..., str]
Rows = list[tuple[object, ...]]

TABLE: Rows = [(1, "one"), (2, "zwei"), (3, "three")]
OLDER: Rows = [(1, "one"), (2, "two")]
PREFIX = "spark.sql.catalog."


@pytest.fixture(autouse=True)
def forgotten(spark: SparkSession) -> Iterator[None]:
    """The shared session forgets the catalogs that tests make by `uri`."""
    yield
    for key in derived(spark):
        spark.conf.unset(key)


@pytest.fixture
def table(lake: Lake, register: Register) -> str:
    """A table of DuckDB: created by snapshot 1, two rows by 2, an update by 3, a row by 4."""
    made(
        lake,
        "CREATE TABLE t (id INTEGER, name VARCHAR)",
        "INSERT INTO t VALUES (1, 'one'), (2, 'two')",
        "UPDATE t SET name = 'zwei' WHERE id = 2",
        "INSERT INTO t VALUES (3, 'three')",
    )
    return f"{register(lake)}.main.t"


def derived(spark: SparkSession) -> list[str]:
    """The settings of the catalogs that options have registered."""
    return sorted(key for key in spark.conf.getAll if key.startswith(f"{PREFIX}ducklake_"))


def load(spark: SparkSession, path: str | None = None, **options: object) -> DataFrame:
    """A frame by format; `_` in the name of an option stands for a hyphen."""
    reader = spark.read.format("ducklake")
    for name, value in options.items():
        reader = reader.option(name.replace("_", "-"), str(value))
    return reader.load(path) if path else reader.load()


def content(frame: DataFrame) -> Rows:
    """The rows of a frame, sorted."""
    return sorted((tuple(row) for row in frame.collect()), key=str)


def refusal(run: Callable[[], object], condition: str = "DUCKLAKE_INVALID_SETTING") -> str:
    """The message of a statement that is refused."""
    with pytest.raises(PySparkException) as caught:
        run()
    assert caught.value.getCondition() == condition, str(caught.value)
    return str(caught.value)


def test_a_name_is_that_of_sql(spark: SparkSession, lake: Lake, table: str) -> None:
    catalog = table.split(".")[0]
    other = load(spark, table).where("id > 1").join(spark.table(table), "id").select("id")

    for name in (table, f"{catalog}.t", f"`{catalog}`.`main`.`t`", f"{catalog}.MAIN.T"):
        assert content(load(spark, name)) == TABLE
    assert content(load(spark, path=None, table=table)) == TABLE
    assert content(spark.read.format("ducklake").option("path", table).load()) == TABLE
    assert content(other) == [(2,), (3,)]
    assert load(spark, f"{table}.files").count() == spark.table(f"{table}.files").count()
    assert content(load(spark, f"{catalog}.system.current_snapshot")) == [(4,)]


def test_a_name_without_a_catalog_is_one_of_the_current_lake(
    spark: SparkSession, table: str
) -> None:
    catalog = table.split(".")[0]
    session = spark.newSession()
    for key, value in spark.conf.getAll.items():
        if key.startswith(f"{PREFIX}{catalog}"):
            session.conf.set(key, value)
    for name in ("t", "main.t"):
        assert "no lake" in refusal(lambda name=name: load(session, name))

    session.sql(f"USE {catalog}")

    for name in ("t", "main.t", table):
        assert content(load(session, name)) == TABLE


def test_a_lake_is_named_by_its_address(spark: SparkSession, lake: Lake, table: str) -> None:
    before = derived(spark)

    for name in ("t", "main.t"):
        assert content(load(spark, uri=lake.uri, table=name)) == TABLE
        assert content(load(spark, name, uri=lake.uri)) == TABLE
    once = derived(spark)
    other = load(spark, uri=lake.uri, table="t", data_inlining_row_limit=0)

    assert not before
    assert len(once) == 2
    assert content(other) == TABLE
    assert len(derived(spark)) == 5
    assert load(spark, uri=lake.uri, table="t.changes", start_snapshot=4).count() == 1
    assert content(load(spark, uri=lake.uri, table="t", snapshot_version=2)) == OLDER
    assert len(derived(spark)) == 5
    assert all(spark.newSession().conf.get(key, None) is None for key in once)


@pytest.mark.parametrize("kind", ["postgres"], indirect=True)
def test_a_secret_stays_in_the_settings(spark: SparkSession, lake: Lake, table: str) -> None:
    secrets = ("first-secret", "other-secret")
    frames = [load(spark, uri=lake.uri, table="t", password=secret) for secret in secrets]
    for frame in frames:
        writer = frame.write.format("ducklake").mode("append")
        writer.options(uri=lake.uri, table="t", password=secrets[0]).save()
    plans = [str(frame._jdf.queryExecution().toString()) for frame in frames]
    catalogs = {key.split(".")[3] for key in derived(spark)}

    assert len(catalogs) == 2
    assert not [plan for plan in plans for secret in secrets if secret in plan]
    assert not [name for name in catalogs for secret in secrets if secret in name]


MODES: dict[str, Rows | str] = {
    "append": [*TABLE, (9, "new")],
    "overwrite": [(9, "new")],
    "ignore": TABLE,
    "errorifexists": "TABLE_OR_VIEW_ALREADY_EXISTS",
}


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("by", ["name", "uri"])
def test_an_existing_table_is_written_as_the_mode_says(
    spark: SparkSession, lake: Lake, table: str, mode: str, by: str
) -> None:
    options = {"table": table} if by == "name" else {"uri": lake.uri, "table": "main.t"}
    frame = spark.sql("SELECT 'new' AS name, 9 AS id")
    write = frame.write.format("ducklake").mode(mode).options(**options).save
    wanted = MODES[mode]

    if isinstance(wanted, str):
        refusal(write, wanted)
    else:
        write()

    with Peer(lake) as peer:
        found = sorted(peer.rows("SELECT * FROM t"), key=str)
    assert found == (TABLE if isinstance(wanted, str) else wanted)


@pytest.mark.parametrize("mode", MODES)
def test_a_table_that_is_missing_is_made_by_two_modes(
    spark: SparkSession, lake: Lake, table: str, mode: str
) -> None:
    fresh = table.replace("main.t", "main.fresh")
    frame = spark.sql("SELECT 9 AS id, 'new' AS name")
    writer = frame.write.format("ducklake").mode(mode).option("commit-message", "by format")

    if mode in ("append", "overwrite"):
        refusal(lambda: writer.save(fresh), "TABLE_OR_VIEW_NOT_FOUND")
        assert not spark.catalog.tableExists(fresh)
        return
    writer.partitionBy("id").save(fresh)

    described = rows(spark, f"DESCRIBE {fresh}")
    place = described.index(("# Partition Information", "", ""))
    assert described[place + 2 :] == [("id", "int", None)]
    with Peer(lake) as peer:
        assert peer.rows("SELECT * FROM fresh") == [(9, "new")]
        message = "SELECT commit_message FROM ducklake_snapshots('lake') ORDER BY ALL DESC"
        assert ("by format",) in peer.rows(message)


@since(EVOLVING_INSERT)
def test_options_of_writes_hold(spark: SparkSession, table: str) -> None:
    frame = spark.sql("SELECT 9 AS id, 'new' AS name")

    def save(mode: str, **options: str) -> None:
        writer = frame.write.format("ducklake").mode(mode)
        writer.options(**{name.replace("_", "-"): text for name, text in options.items()})
        writer.save(table)

    save("overwrite", replaceWhere="id < 3")
    assert content(spark.table(table)) == [(3, "three"), (9, "new")]
    for option, words in (("comit_message", "`commit-message`"), ("snapshot_version", "nearest")):
        assert words in refusal(lambda option=option: save("append", **{option: "2"}))
    with pytest.raises(PySparkException, match="do not match the existing table's"):
        frame.write.format("ducklake").partitionBy("id").mode("append").save(table)

    wider = frame.selectExpr("8 AS id", "'wider' AS name", "true AS more").write.format("ducklake")
    wider.mode("append").option("mergeSchema", "true").save(table)
    assert content(spark.table(table).where("more")) == [(8, "wider", True)]


REFUSED: dict[str, tuple[dict[str, str], str | None, str]] = {
    "nothing": ({}, None, "load("),
    "a uri alone": ({"uri": "{uri}"}, None, "Name the table"),
    "two names": ({"table": "{table}", "uri": "{uri}"}, "main.t", "Name the table once"),
    "no lake of that name": ({}, "nowhere.s.t", "`uri`"),
    "another catalog": ({}, "spark_catalog.default.t", "no lake"),
    "a folder": ({}, "/data/t", "have no paths"),
    "a place in a store": ({}, "s3://bucket/t", "have no paths"),
    "an address": ({}, "ducklake:sqlite:/lake.sqlite", "option `uri`"),
    "a lake twice": ({"uri": "{uri}"}, "{table}", "`uri` names a lake too"),
    "a setting of a registered lake": ({"data-path": "/x"}, "{table}", "has the catalog"),
    "an unknown setting": ({"uri": "{uri}", "read_only": "true"}, "t", "`read-only`"),
    "an unknown option": ({"uri": "{uri}", "branch": "b"}, "t", "versionAsOf"),
    "an option of writes": ({"compression": "zstd"}, "{table}", "not known"),
    "a bad value": ({"uri": "{uri}", "read-only": "perhaps"}, "t", "true or false"),
}


@pytest.mark.parametrize("kind", ["sqlite"], indirect=True)
@pytest.mark.parametrize("case", REFUSED)
def test_bad_options_get_one_error_and_register_nothing(
    spark: SparkSession, lake: Lake, table: str, case: str
) -> None:
    options, path, words = REFUSED[case]
    known = {"uri": lake.uri, "table": table}
    reader = spark.read.format("ducklake").options(
        **{key: value.format(**known) for key, value in options.items()}
    )

    message = refusal(
        lambda: (reader.load(path.format(**known)) if path else reader.load()).count()
    )

    assert words in message
    if "uri" not in options or case in ("an unknown setting", "a bad value", "two names"):
        assert not derived(spark)


def test_other_refusals_are_those_of_spark(spark: SparkSession, table: str) -> None:
    both = spark.read.format("ducklake").option("path", table)
    refusal(lambda: both.load(table), "_LEGACY_ERROR_TEMP_1306")
    refusal(lambda: load(spark, f"{table}_not"), "TABLE_OR_VIEW_NOT_FOUND")
    with pytest.raises(PySparkException, match="specify the schema"):
        spark.read.format("ducklake").schema("id INT").load(table)
    two = spark.read.format("ducklake")
    assert "union" in refusal(lambda: two.load([table, table]))


def streamed(frame: DataFrame, checkpoint: Path) -> Rows:
    """The rows of a stream that are new since the checkpoint, sorted."""
    found: Rows = []

    def keep(batch: DataFrame, _: int) -> None:
        found.extend(tuple(row) for row in batch.collect())

    writer = frame.writeStream.foreachBatch(keep).option("checkpointLocation", str(checkpoint))
    writer.trigger(availableNow=True).start().awaitTermination()
    return sorted(found, key=str)


@pytest.mark.parametrize("by", ["name", "uri"])
def test_a_stream_reads_as_table_does(
    spark: SparkSession, lake: Lake, table: str, tmp_path: Path, by: str
) -> None:
    options = {"table": table} if by == "name" else {"uri": lake.uri, "table": "t"}
    reader = spark.readStream.format("ducklake").options(**options, **{"start-snapshot": "4"})

    assert streamed(reader.load(), tmp_path) == [(3, "three")]
    spark.sql(f"INSERT INTO {table} VALUES (4, 'four')")
    assert streamed(reader.load(), tmp_path) == [(4, "four")]
    feed = spark.readStream.format("ducklake").load(f"{table}.changes")
    assert feed.columns == spark.readStream.table(f"{table}.changes").columns


@pytest.mark.parametrize("by", ["name", "uri"])
def test_a_stream_writes_as_to_table_does(
    spark: SparkSession, lake: Lake, register: Register, tmp_path: Path, by: str
) -> None:
    made(lake, "CREATE TABLE t (id INTEGER, name VARCHAR, n INTEGER)")
    table = f"{register(lake)}.main.t"
    feed = Feed(spark, tmp_path)

    options = {"path": table} if by == "name" else {"uri": lake.uri, "table": "t"}

    def run() -> None:
        writer = feed.frame().writeStream.format("ducklake").trigger(availableNow=True)
        writer.option("checkpointLocation", str(feed.checkpoint))
        writer.options(**options).start().awaitTermination()

    feed.add(((1, "one", 1),), ((2, "two", 2),))
    run()
    feed.forget_last_commit()
    made(lake, "ALTER TABLE t SET PARTITIONED BY (n)")
    feed.add(((3, "three", 3),))
    run()

    with Peer(lake) as peer:
        assert peer.rows("SELECT * FROM t ORDER BY id") == [
            (1, "one", 1),
            (2, "two", 2),
            (3, "three", 3),
        ]


def test_a_stream_is_refused_as_table_and_to_table_are(
    spark: SparkSession, table: str, tmp_path: Path
) -> None:
    stream = spark.readStream.format("ducklake").load(table)
    writer = stream.writeStream.format("ducklake").option("checkpointLocation", str(tmp_path))

    refusal(lambda: writer.start(f"{table}_not"), "TABLE_OR_VIEW_NOT_FOUND")
    assert "no lake" in refusal(lambda: writer.start("nowhere.s.t"))
    query = writer.outputMode("update").start(table)
    with pytest.raises(StreamingQueryException, match=r"DUCKLAKE_UNSUPPORTED.*`merge-keys`"):
        query.awaitTermination()
    assert "no lake" in refusal(lambda: spark.readStream.format("ducklake").load("nowhere.s.t"))


@pytest.mark.parametrize("kind", ["sqlite"], indirect=True)
def test_connect_has_the_same_format(spark: SparkSession, lake: Lake, table: str) -> None:
    options = {"uri": lake.uri, "table": "t"}
    with serving(spark) as address:
        remote = connected(address)
        frame = remote.createDataFrame([(9, "new")], "id INT, name STRING")
        frame.write.format("ducklake").mode("append").options(**options).save()
        found = remote.read.format("ducklake").options(**options).load().orderBy("id").collect()
        older = remote.read.format("ducklake").options(**options, versionAsOf="2").load().count()
        message = refusal(lambda: remote.read.format("ducklake").load("nowhere.s.t").collect())
        remote.stop()

    assert [tuple(row) for row in found] == [*TABLE, (9, "new")]
    assert older == 2
    assert "no lake" in message
    assert not derived(spark)
