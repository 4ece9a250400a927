"""Pages of the documentation that no guide is: their blocks are run as they stand."""

from __future__ import annotations

import ducklake_spark as dl
import pytest
from pyspark.sql import SparkSession

from support.lakes import LakeFactory
from support.pages import DOCS, blocks
from support.peer import Peer

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
