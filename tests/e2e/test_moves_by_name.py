"""Sources that are named as in a catalog of the session."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from pyspark.sql import SparkSession

from support.adding import duckdb_rows
from support.asking import refused
from support.lakes import Lake, LakeFactory
from support.lines import READ_SOURCES, since
from support.othersession import ask_other_session
from support.peer import Peer
from support.session import SESSION_SETTINGS, delta_jars, delta_python, jars, moving_jars

Register = Callable[..., str]

TABLE = "spark_catalog.default.rides"
CALL = "CALL lake.system.migrate_from_delta"
QUESTIONS = (
    "CREATE TABLE default.rides (id INT, p STRING) USING delta PARTITIONED BY (p)",
    "INSERT INTO default.rides VALUES (1, 'a'), (2, NULL)",
    "CREATE TABLE default.plain USING parquet AS SELECT 1 AS id",
    f"{CALL}('spark_catalog.default.plain', 't')",
    f"{CALL}('rides', 't')",
    f"{CALL}('spark_catalog.default.gone', 't')",
    f"CALL lake.system.migrate_from_parquet('{TABLE}', 't')",
    f"{CALL}('{TABLE}', 't', dry_run => true)",
    f"{CALL}('{TABLE}', 't', checksum => true)",
    "INSERT INTO default.rides VALUES (3, 'c')",
    f"{CALL}('{TABLE}', 't')",
    "SELECT * FROM lake.main.t ORDER BY id",
)


@since(READ_SOURCES)
def test_a_table_of_delta(lakes: LakeFactory, tmp_path: Path) -> None:
    """By Delta's own catalog, in a session with Delta's connector; a later call follows it."""
    lake = lakes.new("sqlite")
    with Peer(lake):
        pass
    settings = {
        **SESSION_SETTINGS,
        **lake.spark_settings("lake"),
        "spark.jars": ",".join(dict.fromkeys([jars(), *moving_jars(), *delta_jars().split(",")])),
        "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension,"
        "ducklake.spark.DuckLakeExtensions",
        "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
        "spark.sql.warehouse.dir": f"{tmp_path}/warehouse",
        "spark.databricks.delta.snapshotPartitions": "1",
    }

    answers = ask_other_session(
        settings, [{"sql": text} for text in QUESTIONS], tmp_path, python=delta_python()
    )

    plain, bare, gone, parquet, trial, moved, _, followed, rows = answers[3:]
    assert "`spark_catalog.default.plain` is no table of Delta" in plain["message"]
    assert "no name that begins with a catalog of the session" in bare["message"]
    assert gone["condition"] == "TABLE_OR_VIEW_NOT_FOUND"
    assert "no table of them" in parquet["message"]
    assert ["data files", "None", "2"] in [line[:3] for line in trial]
    assert moved[-1][0] == "checksum"
    assert ["new data files", "None", "1"] in [line[:3] for line in followed]
    assert rows == [["1", "a"], ["2", "None"], ["3", "c"]]
    assert duckdb_rows(lake, "FROM t ORDER BY id") == [(1, "a"), (2, None), (3, "c")]


def test_a_table_of_another_format_by_its_name(
    spark: SparkSession, lake: Lake, register: Register, tmp_path: Path
) -> None:
    name = register(lake)
    table = "spark_catalog.default.no_delta"
    spark.sql(f"CREATE TABLE {table} (a INT) USING parquet LOCATION '{tmp_path}/rows'")
    call = f"CALL {name}.system.migrate_from_delta('{table}', 't')"
    try:
        refused(spark, call, "DUCKLAKE_INVALID_ARGUMENT", f"`{table}` is no table of Delta")
    finally:
        spark.sql(f"DROP TABLE {table}")
