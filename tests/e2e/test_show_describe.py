"""SHOW and DESCRIBE, and the same through spark.catalog."""

from __future__ import annotations

from collections.abc import Callable

from pyspark.sql import SparkSession

from support.asking import column, rows, value
from support.lakes import Lake
from support.lines import PLAIN_VIEWS, has
from support.peer import Peer


def described(spark: SparkSession, table: str) -> dict[str, tuple[str, str | None]]:
    """Type and comment by column, of the columns only."""
    found: dict[str, tuple[str, str | None]] = {}
    for name, kind, comment in rows(spark, f"DESCRIBE {table}"):
        if not name or name.startswith("#"):
            break
        found[name] = (kind, comment)
    return found


def test_show_schemas_and_tables(spark: SparkSession, catalog: str) -> None:
    assert column(spark, f"SHOW SCHEMAS IN {catalog}") == ["main", "s"]
    assert column(spark, f"SHOW SCHEMAS IN {catalog} LIKE 'm*'") == ["main"]
    tables = {row[1] for row in rows(spark, f"SHOW TABLES IN {catalog}.main")}
    assert tables == ({"events", "rich"} if has(PLAIN_VIEWS) else {"events"})
    assert [row[1] for row in rows(spark, f"SHOW TABLES IN {catalog}.s")] == ["events"]


def test_show_columns(spark: SparkSession, catalog: str) -> None:
    shown = [row[0] for row in rows(spark, f"SHOW COLUMNS IN {catalog}.main.events")]

    assert shown == ["id", "sort", "amount", "flag"]


def test_describe_shows_types_and_comments(spark: SparkSession, catalog: str) -> None:
    assert described(spark, f"{catalog}.events") == {
        "id": ("bigint", None),
        "sort": ("string", "sort of event"),
        "amount": ("decimal(9,2)", None),
        "flag": ("string", None),
    }
    assert described(spark, f"{catalog}.s.events")["b"][0] == "array<int>"


def test_describe_extended_shows_the_comment_of_the_table(
    spark: SparkSession, catalog: str
) -> None:
    shown = {row[0]: row[1] for row in rows(spark, f"DESCRIBE EXTENDED {catalog}.events")}

    assert shown["Comment"] == "what happened"
    assert shown["Provider"] == "ducklake"
    assert shown["rowid"] == "bigint"
    assert [name for name in shown if name.startswith("_ducklake")] == []


def test_nullability_is_that_of_the_lake(spark: SparkSession, catalog: str) -> None:
    nullable = {f.name: f.nullable for f in spark.table(f"{catalog}.events").schema.fields}

    assert nullable == {"id": False, "sort": True, "amount": True, "flag": True}


def test_show_create_table_can_be_read_back(spark: SparkSession, catalog: str) -> None:
    text = value(spark, f"SHOW CREATE TABLE {catalog}.events")

    for part in (
        "id BIGINT NOT NULL",
        "sort STRING",
        "COMMENT 'sort of event'",
        "DECIMAL(9,2)",
        "COMMENT 'what happened'",
        "DEFAULT",
    ):
        assert part in text, text


def test_partition_keys_are_shown_with_their_transforms(
    spark: SparkSession, lake: Lake, register: Callable[..., str]
) -> None:
    with Peer(lake) as peer:
        peer.run(
            "CREATE TABLE t (id BIGINT, ts TIMESTAMP, k VARCHAR)",
            "ALTER TABLE t SET PARTITIONED BY (k, year(ts), month(ts), bucket(4, id))",
            "INSERT INTO t VALUES (1, TIMESTAMP '2024-02-29 12:00:00', 'x')",
        )
    catalog = register(lake)

    text = value(spark, f"SHOW CREATE TABLE {catalog}.t")
    for part in ("k", "year(ts)", "month(ts)", "bucket(4, id)"):
        assert part in text, text


def test_options_of_a_table_are_its_properties(
    spark: SparkSession, lake: Lake, register: Callable[..., str]
) -> None:
    with Peer(lake) as peer:
        peer.run(
            "CREATE TABLE t (a INTEGER)",
            "CREATE TABLE u (a INTEGER)",
            "CALL lake.set_option('parquet_compression', 'zstd', table_name => 't')",
        )
    catalog = register(lake)

    shown = dict(rows(spark, f"SHOW TBLPROPERTIES {catalog}.main.t"))
    others = dict(rows(spark, f"SHOW TBLPROPERTIES {catalog}.main.u"))

    assert shown["parquet_compression"] == "zstd"
    assert "parquet_compression" not in others


def test_the_catalog_api_lists_the_lake(spark: SparkSession, catalog: str) -> None:
    before = spark.catalog.currentCatalog()
    spark.catalog.setCurrentCatalog(catalog)
    schemas = {d.name for d in spark.catalog.listDatabases()}
    spark.catalog.setCurrentCatalog(before)

    assert schemas == {"main", "s"}
    assert spark.catalog.databaseExists(f"{catalog}.s")
    assert not spark.catalog.databaseExists(f"{catalog}.nowhere")
    assert spark.catalog.tableExists(f"{catalog}.s.events")
    assert not spark.catalog.tableExists(f"{catalog}.s.nothing")
    columns = spark.catalog.listColumns(f"{catalog}.main.events")
    assert [(c.name, c.dataType, c.nullable) for c in columns][:2] == [
        ("id", "bigint", False),
        ("sort", "string", True),
    ]


def test_defaults_are_shown(spark: SparkSession, catalog: str) -> None:
    fields = {field.name: field for field in spark.table(f"{catalog}.events").schema.fields}

    text = fields["flag"].metadata["CURRENT_DEFAULT"]
    assert value(spark, f"SELECT {text}") == "on"
    assert "CURRENT_DEFAULT" not in fields["id"].metadata
