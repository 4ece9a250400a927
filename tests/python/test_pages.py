"""Pages of the documentation that no guide is: their blocks are run as they stand."""

from __future__ import annotations

import contextlib
import io
import json
from collections.abc import Callable
from pathlib import Path

import ducklake_spark as dl
import pytest
from pyiceberg.schema import Schema
from pyiceberg.types import LongType, NestedField
from pyspark.sql import Row, SparkSession

from support.deltalog import write_table
from support.iceberg import IcebergTable
from support.lakes import Lake, LakeFactory
from support.lines import CHANGES, since
from support.pages import DOCS, Block, blocks
from support.peer import Peer

Register = Callable[..., str]

EVENTS = """
CREATE TABLE events (id INTEGER, kind VARCHAR, day DATE);
INSERT INTO events VALUES (1, 'a', '2026-01-01'), (2, 'b', '2026-01-02');
INSERT INTO events SELECT i, 'c', '2026-01-03' FROM range(3, 40) AS r(i);
DELETE FROM events WHERE id < 3;
UPDATE events SET kind = 'd' WHERE id = 7;
INSERT INTO events VALUES (40, 'e', '2026-01-04');
DELETE FROM events WHERE id = 40
"""
"""Seven snapshots: what the examples of the pages ask for."""

TRIPS = Schema(NestedField(1, "id", LongType(), required=False))
ROWS_AFTER = {"add_data_files": 148, "rollback_to_snapshot": 39, "undo_commit": 38}
"""Rows of the table after the statements of a section about procedures; else they are 37."""

OF_VERSION_1_1 = {"Schemas in schemas", "Keys that count from 1970"}
"""Sections whose statements need a lake of that version."""

SOME_TIME = "2026-01-31 12:00:00"
"""The time that pages name."""


@pytest.fixture
def lake(lakes: LakeFactory) -> Lake:
    """A lake with the table `main.events` of seven snapshots."""
    made = lakes.new("sqlite")
    with Peer(made) as peer:
        peer.run(*EVENTS.split(";"))
    return made


def registered(spark: SparkSession, lake: Lake, **options: str) -> SparkSession:
    """A new session in which a lake is registered as `lake`."""
    found = spark.newSession()
    for key, value in dl.settings("lake", lake.uri, **options).items():
        found.conf.set(key, value)
    return found


@pytest.fixture
def session(spark: SparkSession, lake: Lake) -> SparkSession:
    """A session with the table of seven snapshots."""
    return registered(spark, lake)


def time_of(session: SparkSession, version: int) -> str:
    """When a snapshot was made."""
    times = session.table("lake.system.snapshots").where(f"snapshot_id = {version}")
    (row,) = times.selectExpr("CAST(snapshot_time AS STRING)").collect()
    return str(row.snapshot_time)


def answers(session: SparkSession, block: Block) -> list[list[Row]]:
    """Runs a block of SQL, at the time of snapshot 5 where the page names a time."""
    text = block.text
    if SOME_TIME in text:
        text = block.replaced({SOME_TIME: time_of(session, 5)})
    return [session.sql(statement).collect() for statement in text.split(";") if statement.strip()]


def test_examples_of_changes(session: SparkSession) -> None:
    shown = blocks(DOCS / "change-feed.md")
    found = [answers(session, block) for block in shown if block.language == "sql"]
    (python,) = [block for block in shown if block.language == "python"]

    with contextlib.redirect_stdout(io.StringIO()) as printed:
        exec(python.text, {"spark": session, "lake": dl.Lake(session, "lake")})

    ((by_call,), (by_table, inserted, deleted), (by_function,), (by_clause,), (net,)) = found
    kinds = sorted((row.snapshot_id, row.change_type, row.id) for row in by_call)
    assert kinds == sorted((row.snapshot_id, row.change_type, row.id) for row in by_table)
    assert kinds == sorted((row.snapshot_id, row.change_type, row.id) for row in by_function)
    assert len(inserted) + len(deleted) == len(by_clause) == len(kinds)
    assert (5, "update_preimage", 7) in kinds and (7, "delete", 40) in kinds
    assert {(row.id, row._change_type) for row in net} >= {(1, "delete"), (39, "insert")}
    assert printed.getvalue().count("|change_type|") == 2


def test_examples_of_transactions(session: SparkSession, lake: Lake) -> None:
    shown = blocks(DOCS / "transactions.md")
    session.sql("CREATE TABLE lake.kinds (kind STRING)")
    with Peer(lake) as peer:
        base = peer.head()

    with contextlib.redirect_stdout(io.StringIO()) as printed:
        for block in shown:
            if block.language == "python":
                exec(block.text, {"spark": session, "lake": dl.Lake(session, "lake")})
    words, calls = [answers(session, block) for block in shown if block.language == "sql"]

    assert printed.getvalue() == f"{base + 1}\n"
    assert [row.snapshot_id for row in words[-1]] == [base + 2]
    assert [row.snapshot_id for row in calls[-1]] == [base + 3]
    with Peer(lake) as peer:
        assert sorted(peer.rows("SELECT kind FROM kinds")) == [("v",), ("w",), ("x",)]
        assert peer.rows("SELECT id, kind FROM events WHERE kind IN ('v', 'w') ORDER BY id") == [
            (8, "w"),
            (9, "v"),
        ]


def test_examples_of_streams_that_read(session: SparkSession, tmp_path: Path) -> None:
    with contextlib.redirect_stdout(io.StringIO()):
        for block in blocks(DOCS / "streaming.md"):
            if block.section == "Reading a stream":
                text = block.replaced({"/streams/": f"{tmp_path}/"})
                exec(text, names := {"spark": session})
                assert names["query"].exception() is None

    assert session.read.parquet(str(tmp_path / "events")).count() == 37


@since(CHANGES)
def test_example_of_a_stream_of_changes(session: SparkSession, tmp_path: Path) -> None:
    (block,) = (b for b in blocks(DOCS / "streaming.md") if b.section == "Spark's changes")
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        text = block.replaced({"/streams/": f"{tmp_path}/"})
        exec(text, names := {"spark": session})
    assert names["query"].exception() is None
    assert "_commit_version" in printed.getvalue() and "insert" in printed.getvalue()


def test_examples_of_reading(session: SparkSession, lake: Lake) -> None:
    shown = blocks(DOCS / "reading.md")
    found = [answers(session, block) for block in shown if block.language == "sql"]
    past, by_format = (block for block in shown if block.language == "python")
    here = {"ducklake:sqlite:lake.sqlite": lake.uri}

    with contextlib.redirect_stdout(io.StringIO()) as printed:
        text = past.replaced({SOME_TIME: time_of(session, 5)})
        exec(text, {"spark": session, "lake": dl.Lake(session, "lake")})
        exec(by_format.replaced(here), {"spark": session})

    assert printed.getvalue().count("kind") == 5
    (third, fifth), (same_third, same_fifth), *_, plans = found
    assert (len(third), len(fifth)) == (len(same_third), len(same_fifth)) == (39, 37)
    assert "lake.main.events snapshot 7 (filters [id IS NOT NULL, id >= 20]" in str(
        plans
    ) and "from the catalog" in str(plans)


OF_SEVERAL_TABLES = "Several tables in one batch"
OF_UPSERTS = "Rows that replace others"
OF_SMALL_FILES = "Small files of a stream"


def test_examples_of_writing_a_stream(
    spark: SparkSession, lake: Lake, register: Register, tmp_path: Path
) -> None:
    (python, sql) = (b for b in blocks(DOCS / "streaming.md") if b.section == "Writing a stream")
    catalog = register(lake)
    (tmp_path / "incoming").mkdir()
    (tmp_path / "incoming" / "1.json").write_text('{"id": 1, "kind": "a"}')
    here = {f'"{name}"': f'"{tmp_path / name}"' for name in ("incoming", "checkpoint")}

    exec(python.replaced({**here, "lake.": f"{catalog}."}), {"spark": spark})

    assert spark.table(f"{catalog}.main.arrivals").collect() == [Row(id=1, kind="a")]
    (epoch,) = spark.sql(sql.replaced({"lake.": f"{catalog}.", ";": ""})).collect()
    number, _time = epoch.value.split()
    assert (number, epoch.scope_entry) == ("0", "main.arrivals")


def test_example_of_small_files_of_a_stream(
    spark: SparkSession, lake: Lake, register: Register
) -> None:
    (block,) = (b for b in blocks(DOCS / "streaming.md") if b.section == OF_SMALL_FILES)
    catalog = register(lake)
    spark.sql(f"CREATE TABLE {catalog}.main.arrivals (id INT)")

    spark.sql(block.replaced({"lake.": f"{catalog}.", ";": ""}))

    with Peer(lake) as peer:
        options = "SELECT option_name, value FROM ducklake_options('lake') WHERE scope = 'TABLE'"
        assert peer.rows(options) == [("compact-after-epochs", "100")]


def test_example_of_rows_that_replace_others(
    spark: SparkSession, lake: Lake, register: Register, tmp_path: Path
) -> None:
    (block,) = (b for b in blocks(DOCS / "streaming.md") if b.section == OF_UPSERTS)
    catalog = register(lake)
    with Peer(lake) as peer:
        peer.run("CREATE TABLE states (id INT, kind VARCHAR, moment TIMESTAMPTZ)")
    (tmp_path / "events-in").mkdir()
    events = [(1, "new", 2, "u"), (1, "old", 1, "u"), (2, "gone", 1, "u"), (2, None, 2, "d")]
    lines = [
        json.dumps({"id": key, "kind": kind, "moment": f"2026-01-0{day}T00:00:00Z", "op": op})
        for key, kind, day, op in events
    ]
    (tmp_path / "events-in" / "1.json").write_text("\n".join(lines))
    here = {f'"{name}"': f'"{tmp_path / name}"' for name in ("events-in", "states-checkpoint")}

    exec(block.replaced({**here, "lake.main": f"{catalog}.main"}), {"spark": spark})

    with Peer(lake) as peer:
        assert peer.rows("SELECT id, kind FROM states") == [(1, "new")]


def test_examples_of_batches_of_several_tables(
    spark: SparkSession, lake: Lake, register: Register, tmp_path: Path
) -> None:
    (block,) = (b for b in blocks(DOCS / "streaming.md") if b.section == OF_SEVERAL_TABLES)
    catalog = register(lake)
    with Peer(lake) as peer:
        peer.run("CREATE TABLE orders (id BIGINT, region VARCHAR, amount BIGINT)")
        peer.run("CREATE TABLE totals (region VARCHAR, amount BIGINT)")
        base = peer.head()
    (tmp_path / "orders-in").mkdir()
    order = '{"id": 1, "region": "north", "amount": 5}'
    (tmp_path / "orders-in" / "1.json").write_text(order)
    here = {f'"{name}"': f'"{tmp_path / name}"' for name in ("orders-in", "orders-checkpoint")}

    exec(block.replaced({**here, '"lake"': f'"{catalog}"'}), {"spark": spark})

    assert spark.table(f"{catalog}.totals").collect() == [Row(region="north", amount=5)]
    recorded = spark.sql(
        f"SELECT scope_entry, value FROM {catalog}.system.options WHERE option_name = "
        "'spark_txn_version.orders' ORDER BY scope_entry"
    ).collect()
    assert [(row.scope_entry, row.value.split(" ")[0]) for row in recorded] == [
        ("main.orders", "0"),
        ("main.totals", "0"),
    ]
    with Peer(lake) as peer:
        assert peer.head() == base + 1


def test_examples_of_conflicts(session: SparkSession) -> None:
    session.sql("CREATE TABLE lake.days (kind STRING, day DATE) PARTITIONED BY (kind)")

    for block in blocks(DOCS / "conflicts.md"):
        answers(session, block)

    shown = session.sql("SHOW TBLPROPERTIES lake.events").collect()
    assert dict(tuple(row) for row in shown)["isolation-level"] == "snapshot"
    assert session.table("lake.days").count() == 37


def test_examples_of_statements(spark: SparkSession, lakes: LakeFactory) -> None:
    session = registered(spark, lakes.new("sqlite"))
    newer = registered(spark, lakes.new("sqlite"), ducklake_version="1.1")

    for block in blocks(DOCS / "statements.md"):
        answers(newer if block.section in OF_VERSION_1_1 else session, block)

    shown = session.table("lake.sales.orders")
    assert shown.columns == ["id", "region", "amount", "ordered", "place", "tags"]
    keys = newer.sql("SHOW CREATE TABLE lake.more_visits").head()
    assert keys is not None and "epoch_day(visited)" in keys[0]


def test_examples_of_writing(session: SparkSession) -> None:
    names: dict[str, object] = {"spark": session}
    for block in blocks(DOCS / "writing.md"):
        if block.language == "sql":
            answers(session, block)
        else:
            exec(block.text, names)

    rows = session.table("lake.events").where("id > 40").select("id", "kind", "filename").collect()
    assert {row.id: row.kind for row in rows} == {41: "a", 46: "a", 47: "a", 48: "a"}
    assert {row.id for row in rows if row.filename.startswith("ducklake_inlined")} == {41, 46, 47}


def test_examples_of_upkeep(session: SparkSession) -> None:
    for block in blocks(DOCS / "maintenance.md"):
        answers(session, block)

    options = {row.option_name: row.value for row in session.table("lake.system.options").collect()}
    assert options["expire_older_than"] == "7 days"
    assert session.table("lake.main.events").count() == 37


@pytest.mark.parametrize("block", blocks(DOCS / "procedures.md"), ids=lambda block: block.section)
def test_examples_of_procedures(
    session: SparkSession, lake: Lake, tmp_path: Path, block: Block
) -> None:
    if block.section == "add_data_files":
        with Peer(lake) as peer:
            for place in ("in/a", "more/a", "more/b"):
                (tmp_path / place).parent.mkdir(exist_ok=True)
                peer.run(f"COPY (FROM events) TO '{tmp_path}/{place}.parquet'")
        block = Block(block.section, "sql", block.text.replace("'/", f"'{tmp_path}/"))

    if block.section == "migrate_from_iceberg":
        trips = IcebergTable(session, tmp_path / "warehouse/db/trips", TRIPS)
        trips.append("a", [{"id": 1}])
        block = Block(block.section, "sql", block.text.replace("'/", f"'{tmp_path}/"))

    if block.section == "migrate_from_parquet":
        session.range(3).write.parquet(str(tmp_path / "warehouse/clicks"))
        block = Block(block.section, "sql", block.text.replace("'/", f"'{tmp_path}/"))

    if block.section == "migrate_from_delta":
        write_table(tmp_path / "warehouse/rides", [1])
        block = Block(block.section, "sql", block.text.replace("'/", f"'{tmp_path}/"))

    if block.section.startswith("export_"):
        block = Block(block.section, "sql", block.text.replace("'/", f"'{tmp_path}/"))

    found = answers(session, block)

    assert len(found) == block.text.count(";")
    assert session.table("lake.main.events").count() == ROWS_AFTER.get(block.section, 37)
