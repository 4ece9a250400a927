"""DuckDB and Spark, each with the example's lake as `lake`."""

from __future__ import annotations

import importlib
import os
from pathlib import Path

import duckdb
from places import address, is_in_bucket
from pyspark.sql import SparkSession

import ducklake_spark as dl


def start_duckdb(folder: Path, data: str) -> duckdb.DuckDBPyConnection:
    """A DuckDB with the extensions of the installed wheels, attached to the lake."""
    connection = duckdb.connect()
    needed = ["json", "parquet", "icu", "tpch", "sqlite_scanner", "ducklake"]
    for name in [*needed, "httpfs"] if is_in_bucket(data) else needed:
        module = importlib.import_module(f"duckdb_extension_{name}")
        (binary,) = Path(str(module.__file__)).parent.glob("extensions/*/*.duckdb_extension")
        connection.execute(f"LOAD '{binary}'")
    if is_in_bucket(data):
        connection.execute(_secret())
    attach = f"ATTACH '{address(folder)}' AS lake (DATA_PATH '{data}')"
    print(f"DuckDB  {attach}")
    connection.execute(attach)
    return connection


def start_spark(folder: Path, data: str) -> SparkSession:
    """A session with the lake registered: `configure` does all that Spark needs for it."""
    builder = SparkSession.builder.master("local[2]").config("spark.sql.session.timeZone", "UTC")
    builder = builder.config("spark.log.level", "ERROR").config("spark.ui.enabled", "false")
    builder = builder.config("spark.ui.showConsoleProgress", "false")
    if not is_in_bucket(data):
        return dl.configure(builder, "lake", address(folder)).getOrCreate()
    if jars := os.environ.get("DUCKLAKE_STORE_JARS"):
        builder = builder.config("spark.jars", jars)
    else:
        builder = builder.config("spark.jars.packages", "org.apache.hadoop:hadoop-aws:3.5.0")
    return dl.configure(builder, "lake", address(folder), hadoop=_hadoop()).getOrCreate()


def _secret() -> str:
    """The statement with which DuckDB gets into the bucket."""
    endpoint = os.environ.get("AWS_ENDPOINT_URL", "")
    scheme, _, host = endpoint.partition("://")
    parts = {
        "KEY_ID": os.environ["AWS_ACCESS_KEY_ID"],
        "SECRET": os.environ["AWS_SECRET_ACCESS_KEY"],
        "REGION": os.environ.get("AWS_REGION", "us-east-1"),
    }
    if token := os.environ.get("AWS_SESSION_TOKEN"):
        parts["SESSION_TOKEN"] = token
    if endpoint:
        parts |= {"ENDPOINT": host, "URL_STYLE": "path", "USE_SSL": str(scheme == "https")}
    quoted = {name: "'" + value.replace("'", "''") + "'" for name, value in parts.items()}
    given = ", ".join(f"{name} {value}" for name, value in quoted.items())
    return f"CREATE SECRET (TYPE s3, {given})"


def _hadoop() -> dict[str, str]:
    """The settings with which Spark gets into the bucket."""
    found = {
        "fs.s3a.access.key": os.environ["AWS_ACCESS_KEY_ID"],
        "fs.s3a.secret.key": os.environ["AWS_SECRET_ACCESS_KEY"],
        "fs.s3a.endpoint.region": os.environ.get("AWS_REGION", "us-east-1"),
    }
    if token := os.environ.get("AWS_SESSION_TOKEN"):
        found["fs.s3a.session.token"] = token
    if endpoint := os.environ.get("AWS_ENDPOINT_URL"):
        found |= {"fs.s3a.endpoint": endpoint, "fs.s3a.path.style.access": "true"}
    return found
