"""The adapter for dbt: its example project is run, each method once, and DuckDB reads the lake.

DuckDB writes what the models read, and changes it before the second run.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from support.dbtproject import ADAPTER, Project, failures, project
from support.forms import HOST, free_port, listening
from support.lakes import Lake, LakeFactory
from support.lines import MADE_VIEWS, before, has, since
from support.pages import DOCS, blocks
from support.peer import Peer
from support.session import INTERPRETED, SESSION_SETTINGS, jars
from support.sweep import only_in_the_full_sweep

RAW = (
    "CREATE SCHEMA raw",
    "CREATE TABLE raw.customers (id INTEGER, name VARCHAR, country VARCHAR)",
    "INSERT INTO raw.customers VALUES (1, 'Ann', 'CI'), (2, 'Bob', 'XX'), (3, 'Cid', 'CI')",
    "CREATE TABLE raw.orders (id BIGINT, customer INTEGER, day DATE, amount DECIMAL(9, 2), "
    "changed TIMESTAMPTZ)",
    "INSERT INTO raw.orders SELECT i, i % 3 + 1, DATE '2024-01-15' + i::INTEGER * 10, i * 60, "
    "TIMESTAMPTZ '2024-06-01 00:00:00+00' FROM range(1, 7) AS r(i)",
)
CHANGES = (
    "UPDATE raw.customers SET country = 'CI' WHERE id = 2",
    "DELETE FROM raw.customers WHERE id = 3",
    "INSERT INTO raw.customers VALUES (4, 'Di', 'XX')",
    "UPDATE raw.orders SET amount = 361, changed = TIMESTAMPTZ '2024-07-01 00:00:00+00' "
    "WHERE id = 6",
    "INSERT INTO raw.orders VALUES (7, 4, '2024-03-15', 420, '2024-07-01 00:00:00+00')",
)
COMMANDS = ("seed", "run", "snapshot", "test")
VIEW = "countries_sold"
"""The only view of the project. Where Spark makes none, DuckDB does."""
CHOICE = () if has(MADE_VIEWS) else ("--exclude", VIEW)
KEYS = """
    SELECT table_name, column_name, transform
    FROM {m}.ducklake_partition_column
    JOIN {m}.ducklake_partition_info USING (table_id, partition_id)
    JOIN {m}.ducklake_table USING (table_id) JOIN {m}.ducklake_column USING (table_id, column_id)
    WHERE ducklake_table.end_snapshot IS NULL AND ducklake_column.end_snapshot IS NULL
    ORDER BY table_name, partition_key_index"""
SORTING = """
    SELECT table_name, expression, sort_direction
    FROM {m}.ducklake_sort_expression JOIN {m}.ducklake_table USING (table_id)
    WHERE end_snapshot IS NULL ORDER BY table_name, sort_key_index"""
COMMENTS = """
    SELECT table_name AS name, NULL AS part, comment FROM duckdb_tables()
    WHERE database_name = 'lake' AND schema_name = 'main'
    UNION ALL SELECT view_name, NULL, comment FROM duckdb_views() WHERE database_name = 'lake'
    UNION ALL SELECT table_name, column_name, comment FROM duckdb_columns()
    WHERE database_name = 'lake' AND schema_name = 'main'"""


@pytest.fixture(scope="module")
def raw(lakes: LakeFactory) -> Lake:
    """A lake with the tables that the models read."""
    made = lakes.new("sqlite")
    with Peer(made) as peer:
        peer.run(*RAW)
    return made


@pytest.fixture(scope="module")
def shop(
    dbt_python: Path, raw: Lake, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Project]:
    """The project in a session of its own."""
    folder = tmp_path_factory.mktemp("dbt") / "shop"
    settings = {**SESSION_SETTINGS, **INTERPRETED, "spark.jars": jars()}
    with project(dbt_python, folder, "session", settings, LAKE=raw.uri) as running:
        yield running


def rows(lake: Lake, query: str) -> list[tuple[Any, ...]]:
    """What DuckDB reads."""
    with Peer(lake) as peer:
        return peer.rows(query.format(m="__ducklake_metadata_lake"))


def built(running: Project) -> None:
    """Runs all of the project once, on older versions of Spark without its view."""
    assert failures([running.run(command, *CHOICE) for command in COMMANDS]) == []


def view_of(running: Project) -> str:
    """What DuckDB makes the view of."""
    query = (running.folder / f"models/{VIEW}.sql").read_text().partition("\n\n")[2]
    return query.replace("{{ ref('orders') }}", "orders").replace(
        "{{ source('raw', 'customers') }}", "raw.customers"
    )


def test_the_first_run_makes_all_kinds_of_models(shop: Project, raw: Lake) -> None:
    built(shop)
    if not has(MADE_VIEWS):
        with Peer(raw) as peer:
            peer.run(
                f"CREATE VIEW {VIEW} AS {view_of(shop)}",
                f"COMMENT ON VIEW {VIEW} IS 'What each country ordered'",
            )

    assert rows(raw, "SELECT * FROM countries ORDER BY code") == [
        ("CI", "Côte d'Ivoire", 31000000, date(1960, 8, 7)),
        ("XX", None, 9007199254740993, None),
        ("YY", "back\\slash", 1, date(2000, 1, 1)),
    ]
    assert rows(raw, "SELECT count(*), sum(amount) FROM orders") == [(6, Decimal(1260))]
    assert rows(raw, "SELECT * FROM countries_sold ORDER BY country") == [
        ("CI", 4, Decimal(960)),
        ("XX", 2, Decimal(300)),
    ]
    assert rows(raw, "SELECT * FROM big_orders ORDER BY id LIMIT 1") == [(2, Decimal(120))]
    assert rows(raw, KEYS) == [
        ("days", "day", "year"),
        ("days", "day", "month"),
        ("orders", "day", "year"),
        ("orders", "day", "month"),
    ]
    assert rows(raw, SORTING) == [
        ("countries", "code", "ASC"),
        ("orders", "customer", "ASC"),
        ("orders", "id", "DESC"),
    ]


def test_descriptions_are_comments(shop: Project, raw: Lake) -> None:
    found = set(rows(raw, COMMENTS))

    assert found >= {
        ("countries", None, "The countries that are delivered to"),
        ("countries", "code", "Two letters"),
        ("orders", None, "It's what was ordered"),
        ("orders", "id", "The order's number"),
        ("countries_sold", None, "What each country ordered"),
        ("customers", "name", "As on the parcel"),
    }


def test_a_contract_makes_a_column_not_null(shop: Project, raw: Lake) -> None:
    query = "SELECT column_name, is_nullable FROM duckdb_columns() WHERE table_name = 'big_orders'"

    assert rows(raw, query) == [("id", False), ("amount", True)]


def test_the_second_run_changes_what_has_changed(shop: Project, raw: Lake) -> None:
    names = ("orders", "orders_log", "days", "customers")
    tables = "SELECT table_name, table_id FROM ducklake_table_info('lake') WHERE table_name IN "
    before = dict(rows(raw, f"{tables} {names[1:]}"))
    kept = rows(raw, "SELECT rowid FROM customers WHERE id = 1")
    with Peer(raw) as peer:
        peer.run(*CHANGES)
    log = (shop.folder / "models/orders_log.sql").read_text()
    shop.write("models/orders_log.sql", log.replace("id, amount", "id, amount, day"))

    built(shop)

    assert rows(raw, "SELECT * FROM orders_log WHERE id > 5 ORDER BY id") == [
        (6, Decimal(360), None),  # appended once, before there was a column `day`
        (7, Decimal(420), date(2024, 3, 15)),
    ]
    assert rows(raw, "SELECT * FROM days ORDER BY day") == [
        (date(2024, 1, 25), 1, Decimal(60)),
        (date(2024, 2, 4), 1, Decimal(120)),
        (date(2024, 2, 14), 1, Decimal(180)),
        (date(2024, 2, 24), 1, Decimal(240)),
        (date(2024, 3, 5), 1, Decimal(300)),
        (date(2024, 3, 15), 2, Decimal(781)),
    ]
    assert rows(raw, "SELECT * FROM customers ORDER BY id") == [
        (1, "Ann", "CI"),
        (2, "Bob", "CI"),
        (3, "Cid", "CI"),  # a merge deletes nothing
        (4, "Di", "XX"),
    ]
    assert dict(rows(raw, f"{tables} {names[1:]}")) == before
    assert rows(raw, "SELECT rowid FROM customers WHERE id = 1") == kept


def test_snapshots_keep_what_was(shop: Project, raw: Lake) -> None:
    customers = (
        "SELECT id, country, dbt_is_deleted, dbt_valid_to IS NULL FROM customers_then "
        "ORDER BY id, dbt_valid_from"
    )
    orders = (
        "SELECT a.dbt_valid_to = b.dbt_valid_from, a.amount, b.amount "
        "FROM orders_then AS a JOIN orders_then AS b USING (id) "
        "WHERE a.dbt_valid_to IS NOT NULL AND b.dbt_valid_to IS NULL"
    )

    assert rows(raw, customers) == [
        (1, "CI", "False", True),
        (2, "XX", "False", False),
        (2, "CI", "False", True),
        (3, "CI", "False", False),
        (3, "CI", "True", True),
        (4, "XX", "False", True),
    ]
    assert rows(raw, orders) == [(True, Decimal(360), Decimal(361))]
    assert rows(raw, "SELECT count(*) FROM orders_then") == [(8,)]


def test_no_temporary_view_is_left_and_nothing_else(shop: Project, raw: Lake) -> None:
    query = "SELECT table_name FROM duckdb_tables() WHERE schema_name = 'main' ORDER BY ALL"

    assert [name for (name,) in rows(raw, query)] == [
        "big_orders",
        "countries",
        "customers",
        "customers_then",
        "days",
        "orders",
        "orders_log",
        "orders_then",
    ]


def test_the_documentation_has_types_and_comments(shop: Project) -> None:
    answer = shop.run("docs", "generate")

    catalog = json.loads((shop.folder / "target/catalog.json").read_text())
    orders = catalog["nodes"]["model.shop.orders"]
    assert answer.bad == {}
    assert orders["metadata"] == {
        "type": "table",
        "schema": "main",
        "name": "orders",
        "database": "lake",
        "comment": "It's what was ordered",
        "owner": None,
    }
    assert {name: column["type"] for name, column in orders["columns"].items()} == {
        "id": "bigint",
        "customer": "int",
        "day": "date",
        "amount": "decimal(9,2)",
    }
    assert orders["columns"]["id"]["comment"] == "The order's number"
    assert orders["stats"]["rows"]["value"] == 7
    assert catalog["nodes"]["model.shop.countries_sold"]["metadata"]["type"] == "view"
    assert set(catalog["sources"]) == {"source.shop.raw.customers", "source.shop.raw.orders"}


def test_a_full_refresh_is_one_snapshot(shop: Project, raw: Lake) -> None:
    head = "SELECT max(snapshot_id) FROM ducklake_snapshots('lake')"
    ((before,),) = rows(raw, head)

    answer = shop.run("run", "--select", "days", "--full-refresh")

    assert answer.bad == {}
    assert rows(raw, head) == [(before + 1,)]
    assert rows(raw, "SELECT sum(orders) FROM days") == [(7,)]


@pytest.mark.parametrize(
    ("config", "words"),
    [
        ("file_format='delta'", "`file_format: delta` is not supported. A lake has: ducklake."),
        ("grants={'select': ['ann']}", "`grants` is not supported. A lake has no grants"),
        ("location_root='/data'", "`location_root` is not supported. The files of a lake"),
        ("clustered_by='id', buckets=4", "`buckets` is not supported. A lake has no buckets"),
        ("options={'a': 'b'}", "`options` is not supported. A lake takes tblproperties."),
        ("sql_header='SET a = b'", "`sql_header` is not supported. Spark takes one statement"),
        (
            "materialized='incremental', incremental_strategy='delete+insert'",
            "`incremental_strategy: delete+insert` is not supported. "
            "A lake has: append, insert_overwrite, merge, microbatch.",
        ),
    ],
    ids=lambda text: text.partition("=")[0],
)
def test_what_a_lake_does_not_have_is_refused(
    shop: Project, raw: Lake, config: str, words: str
) -> None:
    shop.write("models/refused.sql", f"{{{{ config({config}) }}}} select 1 as id")

    answer = shop.run("run", "--select", "refused")

    (shop.folder / "models/refused.sql").unlink()
    assert words in answer.bad["refused"]
    assert rows(raw, "SELECT table_name FROM duckdb_tables() WHERE table_name = 'refused'") == []


@before(MADE_VIEWS)
@pytest.mark.parametrize("there_is", ["nothing", "view", "table"])
def test_a_view_model_is_refused_and_nothing_is_dropped(
    shop: Project, raw: Lake, there_is: str
) -> None:
    name = {"nothing": "refused", "view": VIEW, "table": "days"}[there_is]
    path = f"models/{name}.sql"
    kept = (shop.folder / path).read_text() if there_is != "nothing" else None
    objects = (
        "SELECT table_name FROM duckdb_tables() WHERE schema_name = 'main' "
        "UNION ALL SELECT view_name FROM duckdb_views() WHERE database_name = 'lake' ORDER BY ALL"
    )
    there = rows(raw, objects)
    shop.write(path, "{{ config(materialized='view') }} select 1 as id")

    answer = shop.run("run", "--select", name)

    (shop.folder / path).unlink()
    if kept is not None:
        shop.write(path, kept)
    assert "Spark 4.2 and newer make views of a lake" in answer.bad[name]
    assert rows(raw, objects) == there


@before(MADE_VIEWS)
def test_a_clone_is_a_view_and_refused(shop: Project, raw: Lake) -> None:
    (shop.folder / "state").mkdir()
    shutil.copy(shop.folder / "target/manifest.json", shop.folder / "state")
    days = rows(raw, "FROM days ORDER BY day")

    answer = shop.run("clone", "--select", "days", "--state", "state", "--full-refresh")

    assert "Spark 4.2 and newer make views of a lake" in answer.bad["days"]
    assert rows(raw, "FROM days ORDER BY day") == days


@before(MADE_VIEWS)
def test_a_view_that_a_table_would_replace_is_kept(shop: Project, raw: Lake) -> None:
    path = f"models/{VIEW}.sql"
    kept = (shop.folder / path).read_text()
    shop.write(path, "{{ config(materialized='table') }} select 1 as id")

    answer = shop.run("run", "--select", VIEW)

    shop.write(path, kept)
    assert "Spark 4.2 and newer make and change views" in answer.bad[VIEW]
    assert rows(raw, f"SELECT count(*) FROM {VIEW}") == [(2,)]


@since(MADE_VIEWS)
def test_columns_of_views_need_a_lake_of_version_11(shop: Project) -> None:
    shop.write("models/refused.sql", "{{ config(persist_docs={'columns': true}) }} select 1 as id")
    shop.write(
        "models/refused.yml",
        "models: [{name: refused, columns: [{name: id, description: a number}]}]",
    )

    answer = shop.run("run", "--select", "refused")

    (shop.folder / "models/refused.sql").unlink()
    (shop.folder / "models/refused.yml").unlink()
    assert "A lake of version 1.0 keeps comments of views" in answer.bad["refused"]


def test_columns_follow_the_model_and_names_any_case(shop: Project, raw: Lake) -> None:
    config = "{{ config(materialized='incremental', on_schema_change='sync_all_columns') }}"

    shop.write("models/Follows.sql", f"{config} select 1 as id, 'x' as gone, 2 as n")
    first = shop.run("run", "--select", "Follows")
    shop.write("models/Follows.sql", f"{config} select 2 as id, 3L as n, true as more")
    second = shop.run("run", "--select", "Follows")

    (shop.folder / "models/Follows.sql").unlink()
    assert failures([first, second]) == []
    assert rows(raw, "SELECT id, n, more FROM follows ORDER BY id") == [(1, 2, None), (2, 3, True)]
    assert [kind for _, kind, *_ in rows(raw, "DESCRIBE follows")] == [
        "INTEGER",
        "BIGINT",
        "BOOLEAN",
    ]


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("database: lake", "#", "Must specify `database` in profile"),
        (
            "method: session",
            "method: odbc",
            "'odbc' is not one of ['session', 'connect', 'thrift']",
        ),
        ("method: session", "method: thrift", "`uri` is for the methods session and connect"),
    ],
)
def test_profiles_that_cannot_work_are_refused(
    shop: Project, old: str, new: str, words: str
) -> None:
    profile = (shop.folder / "profiles.yml").read_text()
    shop.write("profiles.yml", profile.replace(old, new, 1))

    answer = shop.run("parse")

    shop.write("profiles.yml", profile)
    assert words in answer.error


def test_over_spark_connect(
    dbt_python: Path, lakes: LakeFactory, connect_address: str, tmp_path: Path
) -> None:
    lake = lakes.new("sqlite")
    with Peer(lake) as peer:
        peer.run(*RAW)
    port = connect_address.rpartition(":")[2]

    with project(dbt_python, tmp_path / "shop", "connect", {}, LAKE=lake.uri, PORT=port) as running:
        built(running)
        with Peer(lake) as peer:
            peer.run(*CHANGES)
        built(running)

    second_run(lake)


@only_in_the_full_sweep("a Thrift server of its own")
def test_by_thrift(dbt_python: Path, lakes: LakeFactory, tmp_path: Path) -> None:
    lake = lakes.new("sqlite")
    with Peer(lake) as peer:
        peer.run(*RAW)
    port = free_port()
    settings = {
        **SESSION_SETTINGS,
        "spark.driver.extraClassPath": jars().replace(",", os.pathsep),
        **lake.spark_settings("lake"),
        "spark.hadoop.hive.server2.thrift.bind.host": HOST,
        "spark.hadoop.hive.server2.thrift.port": str(port),
    }
    (tmp_path / "lake.conf").write_text("\n".join(f"{k} {v}" for k, v in settings.items()))
    server = (
        "spark-submit --class org.apache.spark.sql.hive.thriftserver.HiveThriftServer2 "
        "--properties-file lake.conf spark-internal"
    )

    with (
        listening(server, tmp_path, port),
        project(dbt_python, tmp_path / "shop", "thrift", {}, PORT=str(port)) as running,
    ):
        built(running)
        with Peer(lake) as peer:
            peer.run(*CHANGES)
        built(running)

    second_run(lake)


def second_run(lake: Lake) -> None:
    """What two runs leave, whatever the method."""
    assert rows(lake, "SELECT count(*), sum(amount) FROM orders") == [(7, Decimal(1681))]
    assert rows(lake, "SELECT count(*), sum(amount) FROM days") == [(6, Decimal(1681))]
    assert rows(lake, "SELECT count(*) FROM orders_log") == [(7,)]
    assert rows(lake, "SELECT country FROM customers ORDER BY id") == [
        ("CI",),
        ("CI",),
        ("CI",),
        ("XX",),
    ]
    assert rows(lake, "SELECT count(*), count(dbt_valid_to) FROM customers_then") == [(6, 2)]
    assert rows(lake, "SELECT name FROM countries ORDER BY code") == [
        ("Côte d'Ivoire",),
        (None,),
        ("back\\slash",),
    ]


def test_the_page_shows_the_project_that_is_run() -> None:
    files = [path for path in (ADAPTER / "example").rglob("*") if path.is_file()]
    texts = [path.read_text() for path in files]
    shown = blocks(DOCS / "dbt.md")
    (commands,) = [block.text for block in shown if block.language == "bash"]
    others = [block.text.strip() for block in shown if block.language != "bash"]

    assert len(others) == 5
    assert [text for text in others if not any(text in whole for whole in texts)] == []
    assert commands.split("\n")[:-1] == [f"dbt {name}" for name in (*COMMANDS, "docs generate")]
