"""Pages of the documentation that no guide is: their blocks are run as they stand."""

from __future__ import annotations

from collections.abc import Iterator

import ducklake_spark as dl
import pytest
from pyspark.sql import SparkSession

from support.lakes import LakeFactory
from support.objectstore import ObjectStore, secret_of
from support.pages import DOCS, Block, blocks
from support.peer import Peer, connect

TIMES = """
CREATE TABLE t (id INTEGER, name VARCHAR);
INSERT INTO t VALUES (1, 'a'), (2, 'b');
INSERT INTO t SELECT i, 'c' FROM range(3, 40) AS r(i);
DELETE FROM t WHERE id < 3;
UPDATE t SET name = 'd' WHERE id = 7;
INSERT INTO t VALUES (40, 'e');
DELETE FROM t WHERE id = 40
"""
"""Seven snapshots: what the examples about changes ask for."""


@pytest.fixture
def session(spark: SparkSession, lakes: LakeFactory) -> SparkSession:
    """A session in which `lake` is registered, with the table `main.t` of seven snapshots."""
    made = lakes.new("sqlite")
    with Peer(made) as peer:
        peer.run(*TIMES.split(";"))
    found = spark.newSession()
    for key, value in dl.settings("lake", made.uri).items():
        found.conf.set(key, value)
    return found


def settings(block: Block, places: dict[str, str]) -> Iterator[tuple[str, str]]:
    """The lines of a block with a key and a value; `…` is the first place, then the next."""
    hidden = iter(places["…"].split())
    for line in block.text.splitlines():
        key, value = line.split(None, 1)
        value = next(hidden) if value == "…" else value
        yield key, places.get(value, value)


def test_examples_of_changes(session: SparkSession) -> None:
    (net,) = blocks(DOCS / "reading.md")
    (forms,) = blocks(DOCS / "procedures.md")
    call, function, table = forms.text.splitlines()

    found = session.sql(net.text).collect()
    by_call = session.sql(call).collect()
    by_function = session.sql(function).collect()
    by_table = eval(table, {"spark": session}).collect()

    assert {(row.id, row._change_type) for row in found} >= {(1, "delete"), (39, "insert")}
    kinds = sorted((row.snapshot_id, row.change_type, row.id) for row in by_call)
    assert kinds == sorted((row.snapshot_id, row.change_type, row.id) for row in by_function)
    assert kinds == sorted((row.snapshot_id, row.change_type, row.id) for row in by_table)
    assert (5, "update_preimage", 7) in kinds and (7, "delete", 40) in kinds


def test_examples_of_upkeep(session: SparkSession) -> None:
    shown = [block for block in blocks(DOCS / "maintenance.md") if block.language == "sql"]

    for block in shown:
        for statement in filter(str.strip, block.text.split(";")):
            session.sql(statement).collect()

    options = {row.option_name: row.value for row in session.table("lake.system.options").collect()}
    assert options["expire_older_than"] == "7 days"
    assert session.table("lake.main.t").count() == 37


def test_a_server_of_your_own_is_opened_by_both_engines(
    spark: SparkSession, lakes: LakeFactory, store: ObjectStore
) -> None:
    ours, theirs = [
        block
        for block in blocks(DOCS / "storage.md")
        if block.section == "A server of your own that speaks S3"
    ]
    bucket, lake = store.bucket("pages"), lakes.new("sqlite")
    key, place = bucket.key, f"127.0.0.1:{bucket.port}"
    session = spark.newSession()
    for name, value in dl.settings("lake", lake.uri, "s3://pages/lake/").items():
        session.conf.set(name, value)
    told = {"…": f"{key} {secret_of(key)}", "http://storage:9000": f"http://{place}"}
    for name, value in settings(ours, told):
        session.conf.set(name, value)
    secret = theirs.text.replace("'…'", f"'{key}'", 1).replace("'…'", f"'{secret_of(key)}'", 1)

    session.sql("CREATE TABLE lake.main.t AS SELECT id FROM range(100)").collect()

    assert list((bucket.folder / "lake/main/t").iterdir())
    with connect("httpfs") as duck:
        duck.execute(secret.replace("storage:9000", place))
        duck.execute(f"ATTACH '{lake.uri}' AS lake")
        assert duck.execute("SELECT sum(id) FROM lake.t").fetchall() == [(4950,)]
