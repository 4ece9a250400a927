"""Catalogs that cannot be loaded: those of others are not taken for lakes."""

from __future__ import annotations

import pytest
from pyspark.sql import SparkSession

from support.asking import refused

STATEMENTS_OF_OTHERS = (
    "SHOW PARTITIONS {}.db.t",
    "DESCRIBE EXTENDED {}.db.t",
    "ANALYZE TABLE {}.db.t COMPUTE STATISTICS",
    "MSCK REPAIR TABLE {}.db.t",
    "CALL {}.system.rewrite_manifests('db.t')",
    "UPDATE {}.db.t SET rowid = 1",
    "DELETE FROM {}.db.t WHERE a = 1",
    "SELECT * FROM {}.db.t WITH (`snapshot-version` = 3)",
    "INSERT INTO {}.db.t WITH (`compression` = 'zstd') VALUES (1)",
    "CREATE VIEW {}.db.v AS SELECT 1 AS a",
)


@pytest.mark.parametrize("statement", STATEMENTS_OF_OTHERS)
def test_a_catalog_of_others_that_cannot_be_loaded_gives_its_own_reason(
    spark: SparkSession, statement: str
) -> None:
    jdbc = "org.apache.spark.sql.execution.datasources.v2.jdbc.JDBCTableCatalog"
    for name, plugin, reason in (
        ("prod", "org.example.AbsentCatalog", "AbsentCatalog"),
        ("jdbc_without_url", jdbc, "url"),
    ):
        session = spark.newSession()
        session.conf.set(f"spark.sql.catalog.{name}", plugin)

        with pytest.raises(Exception, match=reason) as answer:
            session.sql(statement.format(name)).collect()

        assert "DUCKLAKE" not in str(answer.value)


def test_a_statement_on_a_catalog_that_cannot_be_loaded_may_be_no_sql(spark: SparkSession) -> None:
    session = spark.newSession()
    session.conf.set("spark.sql.catalog.prod", "org.example.AbsentCatalog")

    refused(session, "OPTIMIZE prod.db.t", "PARSE_SYNTAX_ERROR")
    refused(session, "CHECKPOINT prod", "PARSE_SYNTAX_ERROR")
    refused(session, "ALTER TABLE prod.db.t SET PARTITIONED BY (a)", "PARSE_SYNTAX_ERROR")


def test_a_default_catalog_of_others_that_cannot_be_loaded_does_no_harm(
    spark: SparkSession,
) -> None:
    session = spark.newSession()
    session.conf.set("spark.sql.catalog.prod", "org.example.AbsentCatalog")
    session.conf.set("spark.sql.defaultCatalog", "prod")
    session.range(3).createOrReplaceTempView("own")

    refused(session, "OPTIMIZE t", "PARSE_SYNTAX_ERROR")
    with pytest.raises(Exception, match="AbsentCatalog"):
        session.sql("SHOW PARTITIONS t").collect()


def test_a_lake_that_cannot_be_loaded_gives_its_own_reason(spark: SparkSession) -> None:
    session = spark.newSession()
    session.conf.set("spark.sql.catalog.wrong", "ducklake.spark.DuckLakeCatalog")
    session.conf.set("spark.sql.catalog.wrong.url", "ducklake:lake.ducklake")

    for statement in (
        "OPTIMIZE wrong.t",
        "SHOW PARTITIONS wrong.main.t",
        "ALTER TABLE wrong.t SET PARTITIONED BY (a)",
        "CALL wrong.system.none()",
    ):
        refused(session, statement, "DUCKLAKE_INVALID_SETTING", "`url`", "`uri`")
