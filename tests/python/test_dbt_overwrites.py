"""What the nodes of dbt do beside the example project: overwrites first, by keys and by time."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from support.dbtproject import Project, failures, project
from support.lakes import Lake, LakeFactory
from support.lines import MADE_VIEWS, has
from support.peer import Peer
from support.session import INTERPRETED, SESSION_SETTINGS, jars

EVENTS = (
    "CREATE SCHEMA raw",
    "CREATE TABLE raw.events (id INTEGER, day DATE)",
    "INSERT INTO raw.events VALUES (1, '2026-01-01'), (2, '2026-01-02'), (3, '2026-02-01')",
)
SOURCE = """
version: 2
sources:
  - name: events
    schema: raw
    tables: [{name: events, config: {event_time: day}}, {name: people}, {name: my-`table}]
"""
OVERWRITING = "materialized='incremental', incremental_strategy='insert_overwrite'"
BATCHES = (
    "materialized='incremental', incremental_strategy='microbatch', event_time='day', "
    "begin='2026-01-01', batch_size='day', partition_by=['year(day)', 'month(day)']"
)


@pytest.fixture(scope="module")
def lake(lakes: LakeFactory) -> Lake:
    """A lake with the table that the models read."""
    made = lakes.new("sqlite")
    with Peer(made) as peer:
        peer.run(*EVENTS)
    return made


@pytest.fixture(scope="module")
def shop(
    dbt_python: Path, lake: Lake, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Project]:
    """A project with these models only."""
    folder: Path = tmp_path_factory.mktemp("dbt") / "shop"
    settings = {**SESSION_SETTINGS, **INTERPRETED, "spark.jars": jars()}
    with project(dbt_python, folder, "session", settings, LAKE=lake.uri) as running:
        running.write("models/events.yml", SOURCE)
        yield running


def rows(lake: Lake, query: str) -> list[tuple[Any, ...]]:
    """What DuckDB reads."""
    with Peer(lake) as peer:
        return peer.rows(query)


def model(shop: Project, name: str, config: str, query: str) -> None:
    """Writes a model."""
    shop.write(f"models/{name}.sql", f"{{{{ config({config}) }}}}\n{query}")


@pytest.mark.parametrize(
    ("before", "told"),
    [("", "no keys"), ("year(day)", "year(day)")],
    ids=["no keys", "other keys"],
)
def test_an_overwrite_by_other_keys_than_those_of_the_table_is_refused(
    shop: Project, lake: Lake, before: str, told: str
) -> None:
    name = f"parts_{len(before)}"
    every = "select * from {{ source('events', 'events') }}"
    first = OVERWRITING + (f", partition_by='{before}'" if before else "")
    model(shop, name, first, every)
    assert failures([shop.run("run", "--select", name)]) == []

    new = "select 9 as id, date '2026-02-01' as day"
    model(shop, name, f"{OVERWRITING}, partition_by=['year(day)', 'months(`day`)']", new)
    refused = shop.run("run", "--select", name)

    assert f"is partitioned by {told}, and the model by month(day), year(day)" in refused.bad[name]
    assert rows(lake, f"SELECT count(*) FROM {name}") == [(3,)]
    assert failures([shop.run("run", "--select", name, "--full-refresh")]) == []
    assert failures([shop.run("run", "--select", name)]) == []
    assert rows(lake, f"FROM {name}") == rows(lake, "SELECT 9, DATE '2026-02-01'")


def test_a_query_without_rows_empties_a_table_without_keys(shop: Project, lake: Lake) -> None:
    every = "select * from {{ source('events', 'events') }}"
    by_day = f"{OVERWRITING}, partition_by='day'"
    model(shop, "whole", OVERWRITING, every)
    model(shop, "by_day", by_day, every)
    assert failures([shop.run("run", "--select", "whole", "by_day")]) == []
    assert rows(lake, "SELECT count(*) FROM whole") == [(3,)]

    model(shop, "whole", OVERWRITING, f"{every} where id > 9")
    model(shop, "by_day", by_day, f"{every} where id > 9")
    assert failures([shop.run("run", "--select", "whole", "by_day")]) == []

    assert rows(lake, "FROM whole") == []
    assert rows(lake, "SELECT count(*) FROM by_day") == [(3,)]


APPENDING = "materialized='incremental', on_schema_change='append_new_columns'"
LOSING = {
    "append": ("", [(1, "old", None), (2, "old", None), (2, None, 7), (3, None, 7)]),
    "merge": ("unique_key='id'", [(1, "old", None), (2, "old", 7), (3, None, 7)]),
    "insert_overwrite": ("partition_by='id'", [(1, "old", None), (2, None, 7), (3, None, 7)]),
}


def test_a_column_that_a_model_has_lost_is_null(shop: Project, lake: Lake) -> None:
    """The new rows have an `id` of 2 and 3, a column `more`, and no `gone`."""
    configs = {
        f"lost_{name}": f"{APPENDING}, incremental_strategy='{name}', {config}"
        for name, (config, _) in LOSING.items()
    }
    for name, config in configs.items():
        model(shop, name, config, "select id, 'old' as gone from range(1, 3)")
    first = shop.run("run", "--select", *configs)
    for name, config in configs.items():
        model(shop, name, config, "select 7 as more, id from range(2, 4)")
    second = shop.run("run", "--select", *configs)

    assert failures([first, second]) == []
    found = {
        name: rows(lake, f"SELECT id, gone, more FROM lost_{name} ORDER BY id, gone NULLS LAST")
        for name in LOSING
    }
    assert found == {name: expected for name, (_, expected) in LOSING.items()}


def test_a_snapshot_goes_on_once_its_source_has_lost_a_column(shop: Project, lake: Lake) -> None:
    rows(lake, "CREATE TABLE raw.people AS SELECT 1 AS id, 'Ann' AS name, 'CI' AS country")
    config = "{unique_key: id, strategy: check, check_cols: all, hard_deletes: new_record}"
    relation = "relation: \"source('events', 'people')\""
    shop.write(
        "snapshots/then.yml", f"snapshots: [{{name: then_people, {relation}, config: {config}}}]"
    )
    first = shop.run("snapshot", "--select", "then_people")

    with Peer(lake) as peer:
        peer.run(
            "ALTER TABLE raw.people DROP COLUMN country",
            "UPDATE raw.people SET name = 'Bo'",
            "INSERT INTO raw.people VALUES (2, 'Cid')",
        )
    second = shop.run("snapshot", "--select", "then_people")
    rows(lake, "DELETE FROM raw.people WHERE id = 2")
    third = shop.run("snapshot", "--select", "then_people")

    assert failures([first, second, third]) == []
    kept = "SELECT id, name, country, dbt_is_deleted, dbt_valid_to IS NULL FROM then_people"
    assert rows(lake, f"{kept} ORDER BY id, dbt_valid_from") == [
        (1, "Ann", "CI", "False", False),
        (1, "Bo", None, "False", True),
        (2, "Cid", None, "False", False),
        (2, "Cid", None, "True", True),
    ]


def test_a_batch_replaces_the_rows_of_its_time_alone(shop: Project, lake: Lake) -> None:
    model(shop, "batched", BATCHES, "select id, day from {{ source('events', 'events') }}")
    until = ("--event-time-start", "2026-01-01", "--event-time-end", "2026-02-02")
    first = shop.run("run", "--select", "batched", *until)
    assert failures([first]) == []
    assert rows(lake, "FROM batched ORDER BY id") == rows(lake, "FROM raw.events ORDER BY id")

    rows(lake, "UPDATE raw.events SET id = id + 10")
    day = ("--event-time-start", "2026-01-02", "--event-time-end", "2026-01-03")
    assert failures([shop.run("run", "--select", "batched", *day)]) == []

    assert rows(lake, "SELECT id FROM batched ORDER BY id") == [(1,), (3,), (12,)]


@pytest.mark.parametrize(
    ("type_name", "value"),
    [("tinyint", "300"), ("int", "1.5"), ("date", "2026-13-01"), ("decimal(4,2)", "123.4")],
)
def test_a_value_of_a_seed_that_does_not_fit_is_an_error(
    shop: Project, lake: Lake, type_name: str, value: str
) -> None:
    name = f"narrow_{type_name.partition('(')[0]}"
    shop.write(f"seeds/{name}.csv", f"id,part\n1,{value}\n")
    config = f"config: {{column_types: {{part: '{type_name}'}}}}"
    shop.write(f"seeds/{name}.yml", f"seeds: [{{name: {name}, {config}}}]")

    answer = shop.run("seed", "--select", name)

    assert f"`{value}` of column `part` does not fit {type_name}" in answer.bad[name]
    assert rows(lake, f"SELECT count(*) FROM {name}") == [(0,)]


def test_integers_of_a_seed_above_bigint_stay_exact(shop: Project, lake: Lake) -> None:
    longest = "9" * 28
    lines = [
        "n,place,half",
        "9223372036854775808,1,1.5",
        f"-{longest},2,2",
        ",9223372036854775807,",
    ]
    shop.write("seeds/large.csv", "\n".join(lines))
    shop.write("seeds/larger.csv", f"n\n{longest}9")

    answer = shop.run("seed", "--select", "large", "larger")

    assert set(answer.bad) == {"larger"}
    assert "an integer of more than 28 digits, which dbt rounds" in answer.bad["larger"]
    assert rows(lake, "SELECT n::VARCHAR, place, half FROM large ORDER BY place") == [
        ("9223372036854775808", 1, 1.5),
        (f"-{longest}", 2, 2.0),
        (None, 9223372036854775807, None),
    ]
    types = "SELECT data_type FROM duckdb_columns() WHERE table_name = 'large'"
    assert rows(lake, types) == [("DECIMAL(38,0)",), ("BIGINT",), ("DOUBLE",)]


@pytest.mark.parametrize(
    ("of_column", "of_model"),
    [([{"type": "not_null"}], []), ([], [{"type": "not_null", "columns": ["id"]}])],
    ids=["of a column", "of the model"],
)
def test_a_null_that_breaks_a_contract_replaces_no_table(
    shop: Project, lake: Lake, of_column: list[Any], of_model: list[Any]
) -> None:
    name = f"contracted_{len(of_model)}"
    columns = [
        {"name": "id", "data_type": "bigint", "constraints": of_column},
        {"name": "tags", "data_type": "array<bigint>"},
    ]
    contract = {"enforced": True}
    promised = {"name": name, "columns": columns, "constraints": of_model}
    shop.write(
        f"models/{name}.yml",
        json.dumps({"models": [{**promised, "config": {"contract": contract}}]}),
    )
    model(shop, name, "materialized='table'", "select array(id) as tags, 1L as id from range(1)")
    first = shop.run("run", "--select", name)
    head = "SELECT max(snapshot_id) FROM ducklake_snapshots('lake')"
    before = rows(lake, head)
    nulls = "select array(id) as tags, if(id = 1, null, id) as id from range(3)"
    model(shop, name, "materialized='table'", nulls)

    refused = shop.run("run", "--select", name)

    assert failures([first]) == []
    assert "Column `id` is NULL, and not_null in the contract" in refused.bad[name]
    assert rows(lake, f"FROM {name}") == [(1, [0])]
    assert rows(lake, head) == before
    nullable = f"SELECT is_nullable FROM duckdb_columns() WHERE table_name = '{name}'"
    assert rows(lake, nullable) == [(False,), (True,)]


def hooks(node: str) -> dict[str, list[Any]]:
    """Hooks of both kinds, each of which tells that it was run, and after how many others."""
    before, begun, ended, after = (
        f"insert into lake.raw.hooks select count(*), '{node}', '{kind}' "
        f"from lake.raw.hooks where node = '{node}'"
        for kind in ("before", "begun", "ended", "after")
    )
    return {
        "pre_hook": [begun, {"sql": before, "transaction": False}],
        "post_hook": [{"sql": after, "transaction": False}, ended],
    }


def test_hooks_of_both_kinds_run_in_all_nodes(shop: Project, lake: Lake) -> None:
    rows(lake, "CREATE TABLE raw.hooks (place INTEGER, node VARCHAR, kind VARCHAR)")
    kinds = ["table", "incremental", *(["view"] if has(MADE_VIEWS) else [])]
    for kind in kinds:
        model(shop, f"hooked_{kind}", f"materialized='{kind}'", "select 1 as id")
    shop.write("seeds/hooked_seed.csv", "id\n1\n")
    models = [{"name": f"hooked_{kind}", "config": hooks(kind)} for kind in kinds]
    snapshot = {
        "name": "hooked_snapshot",
        "relation": "source('events', 'events')",
        "config": {
            "unique_key": "id",
            "strategy": "check",
            "check_cols": "all",
            **hooks("snapshot"),
        },
    }
    seed = {"name": "hooked_seed", "config": hooks("seed")}
    described = {"models": models, "seeds": [seed], "snapshots": [snapshot]}
    shop.write("models/hooked.yml", json.dumps(described))

    assert failures([shop.run("build", "--select", "hooked_*")]) == []

    found = "SELECT node, string_agg(kind, ' ' ORDER BY place) FROM raw.hooks GROUP BY node"
    assert dict(rows(lake, found)) == {
        node: "before begun ended after" for node in (*kinds, "seed", "snapshot")
    }


def test_the_documentation_leaves_out_what_spark_cannot_describe(shop: Project, lake: Lake) -> None:
    with Peer(lake) as peer:
        peer.run(
            "CREATE VIEW raw.alien AS SELECT list_filter([id], x -> x > 1) AS ids FROM raw.events",
            'CREATE TABLE raw."my-`table" (id INTEGER)',
        )

    answer = shop.run("docs", "generate", "--no-compile")

    rows(lake, "DROP VIEW raw.alien")
    catalog = json.loads((shop.folder / "target/catalog.json").read_text())["sources"]
    assert answer.bad == {}
    assert list(catalog["source.shop.events.events"]["columns"]) == ["id", "day"]
    assert list(catalog["source.shop.events.my-`table"]["columns"]) == ["id"]
    printed = (shop.folder / "printed.log").read_text()
    assert "lake.raw.alien is left out of the documentation: " in printed


def test_a_text_with_a_variable_stays_as_it_is(shop: Project, lake: Lake) -> None:
    secret = "${env:HOME} ${spark.app.name}"
    (shop.folder / "seeds").mkdir(exist_ok=True)
    shop.write("seeds/worded.csv", f"id,words\n1,{secret}\n")
    kept = "config: {persist_docs: {relation: true}}"
    shop.write("seeds/worded.yml", f"seeds: [{{name: worded, description: '{secret}', {kept}}}]")

    assert failures([shop.run("seed", "--select", "worded")]) == []

    assert rows(lake, "SELECT words FROM worded") == [(secret,)]
    comment = "SELECT comment FROM duckdb_tables() WHERE table_name = 'worded'"
    assert rows(lake, comment) == [(secret,)]
