"""Registers lakes with a Spark session."""

from __future__ import annotations

import os
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path

from pyspark.sql import SparkSession

CATALOG_CLASS = "ducklake.spark.DuckLakeCatalog"
EXTENSION_CLASS = "ducklake.spark.DuckLakeExtensions"

# Keys whose first word is a group of its own.
_GROUPS = ("retry_", "jdbc_")


def jars() -> list[str]:
    """The jars inside this package: the connector, and DuckDB's library for this platform.

    Returns:
        Absolute paths.

    Example:
        >>> all(path.endswith(".jar") for path in jars())
        True
    """
    return sorted(str(path) for path in Path(__file__).parent.joinpath("jars").glob("*.jar"))


def settings(
    name: str,
    uri: str,
    data_path: str | os.PathLike[str] | None = None,
    **options: bool | int | float | str | datetime | os.PathLike[str],
) -> dict[str, str]:
    """The Spark settings that register one lake.

    Args:
        name: the catalog's name in SQL.
        uri: the lake's address, as DuckDB's ATTACH takes it.
        data_path: where files go when the lake is created.
        options: other keys of the catalog, with underscores.

    Returns:
        Keys and values.

    Example:
        >>> settings("lake", "ducklake:sqlite:l.sqlite", read_only=True, retry_max_count=3)
        ... # doctest: +NORMALIZE_WHITESPACE
        {'spark.sql.catalog.lake': 'ducklake.spark.DuckLakeCatalog',
         'spark.sql.catalog.lake.uri': 'ducklake:sqlite:l.sqlite',
         'spark.sql.catalog.lake.read-only': 'true',
         'spark.sql.catalog.lake.retry.max-count': '3'}
    """
    prefix = f"spark.sql.catalog.{name}"
    found = {prefix: CATALOG_CLASS, f"{prefix}.uri": uri}
    if data_path is not None:
        found[f"{prefix}.data-path"] = os.fspath(data_path)
    for key, value in options.items():
        found[f"{prefix}.{_key(key)}"] = _text(value)
    return found


def configure(
    builder: SparkSession.Builder,
    name: str,
    uri: str,
    data_path: str | os.PathLike[str] | None = None,
    *,
    extension: bool = True,
    **options: bool | int | float | str | datetime | os.PathLike[str],
) -> SparkSession.Builder:
    """Register a lake as a catalog of the session to be built; call it once per lake.

    A session on Spark Connect gets the catalog's keys alone: its server brings the jars.

    Args:
        builder: a session builder; jars and extensions set on it before are kept.
        name: the catalog's name in SQL.
        uri: the lake's address, as DuckDB's ATTACH takes it.
        data_path: where files go when the lake is created.
        extension: whether to add DuckDB's words to Spark's SQL.
        options: other keys of the catalog, with underscores: `read_only=True`.

    Returns:
        The builder.

    Example:
        >>> builder = configure(SparkSession.builder, "lake", "ducklake:sqlite:lake.sqlite")
    """
    known = _known(builder)
    for key, value in settings(name, uri, data_path, **options).items():
        builder.config(key, value)
    if "spark.remote" not in known and "SPARK_REMOTE" not in os.environ:
        builder.config("spark.jars", _joined(known.get("spark.jars", ""), *jars()))
        if extension:
            loaded = known.get("spark.sql.extensions", "")
            builder.config("spark.sql.extensions", _joined(loaded, EXTENSION_CLASS))
    return builder


def _known(builder: SparkSession.Builder) -> Mapping[str, str]:
    """What was set on a builder so far; PySpark has no public way to ask."""
    return dict(builder._options)


def _joined(listed: str, *more: str) -> str:
    """A comma-separated list with more entries, none of them twice."""
    present = [entry for entry in listed.split(",") if entry]
    return ",".join(dict.fromkeys([*present, *more]))


def _key(name: str) -> str:
    """The key that a Python name stands for; what follows `jdbc_` is the driver's own name."""
    for group in _GROUPS:
        if name.startswith(group):
            rest = name.removeprefix(group)
            return group.replace("_", ".") + (rest if group == "jdbc_" else rest.replace("_", "-"))
    return name.replace("_", "-")


def _text(value: bool | int | float | str | datetime | os.PathLike[str]) -> str:
    """A setting's value as Spark takes it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, datetime):
        return value.isoformat(sep=" ")
    return os.fspath(value) if isinstance(value, os.PathLike) else str(value)
