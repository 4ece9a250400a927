"""OpenLineage's listener names the tables of a lake, with the columns that came from each."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from support.asking import rows
from support.lakes import Lake, LakeFactory
from support.othersession import ask_other_session
from support.peer import Peer
from support.session import SESSION_SETTINGS, jars
from support.sweep import only_in_the_full_sweep
from support.tools import tool

Register = Callable[..., str]

STATEMENTS = {
    "read": "SELECT count(*) FROM lake.main.a WHERE id > 1",
    "insert": "INSERT INTO lake.main.b SELECT id, upper(name) FROM lake.main.a",
    "overwrite": "INSERT OVERWRITE lake.main.b SELECT id, name FROM lake.main.a",
    "create": "CREATE TABLE lake.main.c AS SELECT id + 1 AS more FROM lake.main.a",
    "merge": "MERGE INTO lake.main.b AS b USING lake.main.a AS a ON a.id = b.id "
    "WHEN MATCHED THEN UPDATE SET name = a.name WHEN NOT MATCHED THEN INSERT *",
    "update": "UPDATE lake.main.b SET name = 'x' WHERE id = 1",
    "delete": "DELETE FROM lake.main.b WHERE id = 2 AND name = 'two'",
}


@dataclass(frozen=True)
class Run:
    """What the listener said of a statement: the tables, and the columns from which others came."""

    inputs: set[str]
    outputs: set[str]
    columns: dict[str, set[str]]


def events(log: Path) -> list[dict[str, Any]]:
    """The events of the listener, in their order."""
    return [json.loads(line) for line in log.read_text().splitlines()]


def runs(found: list[dict[str, Any]], namespace: str) -> list[Run]:
    """What each run says of tables of a lake, in the order in which they began."""
    made: dict[str, Run] = {}
    for event in found:
        run = made.setdefault(event["run"]["runId"], Run(set(), set(), {}))
        for kind, names in (("inputs", run.inputs), ("outputs", run.outputs)):
            own = [each for each in event.get(kind, []) if each["namespace"] == namespace]
            names.update(each["name"] for each in own)
            for each in own:
                fields = each.get("facets", {}).get("columnLineage", {}).get("fields", {})
                for column, sources in fields.items():
                    come = {
                        f"{source['name']}.{source['field']}" for source in sources["inputFields"]
                    }
                    run.columns.setdefault(f"{each['name']}.{column}", set()).update(come)
    return [run for run in made.values() if run.inputs or run.outputs]


@only_in_the_full_sweep("a Spark of its own")
def test_the_listener_names_the_tables_of_a_lake(lakes: LakeFactory, tmp_path: Path) -> None:
    lake = lakes.new("sqlite")
    with Peer(lake) as peer:
        peer.run(
            "CREATE TABLE a (id INTEGER, name VARCHAR)",
            "CREATE TABLE b (id INTEGER, name VARCHAR)",
            "INSERT INTO a VALUES (1, 'one'), (2, 'two')",
        )
    settings = {
        **SESSION_SETTINGS,
        **lake.spark_settings("lake"),
        "spark.jars": f"{jars()},{tool('openlineage-spark')}",
        "spark.extraListeners": "io.openlineage.spark.agent.OpenLineageSparkListener",
        "spark.openlineage.transport.type": "file",
        "spark.openlineage.transport.location": f"{tmp_path}/events.json",
        "spark.openlineage.namespace": "tests",
    }
    questions = [{"sql": text} for text in STATEMENTS.values()]
    stream = {"stream": "lake.main.a", "to": "lake.main.d", "checkpoint": f"{tmp_path}/checkpoint"}

    answers = ask_other_session(settings, [*questions, stream], tmp_path)

    assert [each for each in answers if isinstance(each, dict)] == []
    found = runs(events(tmp_path / "events.json"), f"file://{lake.data_path}")
    written = {"main.b.id": {"main.a.id"}, "main.b.name": {"main.a.name"}}
    whole = Run({"main.a"}, {"main.b"}, written)
    assert found.count(whole) == 2  # INSERT and OVERWRITE
    created = [run for run in found if "main.c" in run.outputs and run.inputs]
    assert created == [Run({"main.a"}, {"main.c"}, {"main.c.more": {"main.a.id"}})]
    assert Run({"main.a"}, set(), {}) in found  # MERGE: its target is a table of Spark's own


@pytest.mark.parametrize("kind", ["sqlite"], indirect=True)
def test_a_table_answers_the_listener_and_lists_nothing_of_it(
    spark: SparkSession, lake: Lake, register: Register
) -> None:
    catalog = register(lake)
    spark.sql(f"CREATE TABLE {catalog}.main.t (a INT) TBLPROPERTIES ('own' = 'x')")

    plan = spark.table(f"{catalog}.main.t")._jdf.queryExecution().analyzed()
    while plan.children().nonEmpty():
        plan = plan.children().head()
    properties = plan.table().properties()

    assert properties.get("openlineage.dataset.name") == "main.t"
    namespace = properties.get("openlineage.dataset.namespace")
    assert namespace == f"file://{lake.data_path}"
    assert properties.containsKey("openlineage.dataset.namespace")
    assert (properties.get("own"), properties.get("nothing")) == ("x", None)
    shown = dict(rows(spark, f"SHOW TBLPROPERTIES {catalog}.main.t"))
    assert shown["own"] == "x"
    assert [key for key in shown if "lineage" in key] == []
