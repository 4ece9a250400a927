"""Registers lakes with a Spark session."""

from __future__ import annotations

import difflib
import os
import warnings
from collections.abc import Iterable, Mapping
from datetime import date, datetime
from pathlib import Path

from pyspark.sql import SparkSession

from ducklake_spark import _jvm
from ducklake_spark._jvm import CATALOG_CLASS
from ducklake_spark._sql import Option, option_text
from ducklake_spark._starting import hide_secrets, is_remote
from ducklake_spark.errors import InvalidSettingError, InvalidUriError, WrongSparkError
from ducklake_spark_catalog import sparks
from ducklake_spark_catalog.keys import KINDS, PREFIXES
from ducklake_spark_catalog.redaction import PATTERN, PATTERN_KEY

EXTENSION_CLASS = "ducklake.spark.DuckLakeExtensions"

# The keys by the names that they have in Python.
_NAMES = {key.replace("-", "_").replace(".", "_"): key for key in KINDS}


def jars(spark: str | None = None) -> list[str]:
    """The jars inside this package: the connector, and DuckDB's library for this platform.

    Args:
        spark: the version of a Spark that is elsewhere, such as a server of Spark Connect. When it
            is left out, it is the Spark that runs here, or the one that PySpark would start.

    Returns:
        Absolute paths; none in a clone before `./sbt packageJars`.

    Raises:
        WrongSparkError: this package serves no such version of Spark.

    Example:
        >>> all(path.endswith(".jar") for path in jars())
        True
    """
    release = _jvm.release() if spark is None else spark
    line = sparks.line_of(release)
    if line is None:
        raise _not_served(release)
    folder = Path(__file__).parent / "jars"
    found = [*sorted(folder.glob("*.jar")), *folder.joinpath(line).glob("*.jar")]
    return [str(path) for path in found]


def _not_served(release: str) -> WrongSparkError:
    why, mend = sparks.refusal(release)
    return WrongSparkError(
        f"{why}. {mend} SQLSTATE: 0A000",
        WrongSparkError.condition,
        {"running": release},
        sql_state="0A000",
    )


def settings(
    name: str,
    uri: str,
    data_path: str | os.PathLike[str] | None = None,
    *,
    hadoop: Mapping[str, str] | None = None,
    **options: Option | datetime | date | os.PathLike[str],
) -> dict[str, str]:
    """The Spark settings that register one lake.

    Args:
        name: the catalog's name in SQL.
        uri: the lake's address, as DuckDB's ATTACH takes it.
        data_path: where files go when the lake is created.
        hadoop: settings of Hadoop's file systems for this lake's files, by Hadoop's own names:
            credentials, endpoint.
        options: other keys of the catalog, with underscores.

    Returns:
        Keys and values.

    Raises:
        InvalidSettingError: the name cannot be that of a catalog, or an option is not known.
        InvalidUriError: the address is no text, or empty.

    Example:
        >>> settings("lake", "ducklake:sqlite:l.sqlite", read_only=True, retry_max_count=3)
        ... # doctest: +NORMALIZE_WHITESPACE
        {'spark.sql.catalog.lake': 'ducklake.spark.DuckLakeCatalog',
         'spark.sql.catalog.lake.uri': 'ducklake:sqlite:l.sqlite',
         'spark.sql.catalog.lake.read-only': 'true',
         'spark.sql.catalog.lake.retry.max-count': '3'}
    """
    _refuse_unusable(name, uri)
    prefix = f"spark.sql.catalog.{name}"
    found = {prefix: CATALOG_CLASS, f"{prefix}.uri": uri}
    if data_path is not None:
        found[f"{prefix}.data-path"] = os.fspath(data_path)
    for key, value in options.items():
        if value is None:
            raise _invalid(key, "is None", "Leave it out, or give it a value.")
        found[f"{prefix}.{_key(key)}"] = _text(value)
    for key, value in (hadoop or {}).items():
        if not isinstance(value, str):
            raise _invalid(f"hadoop.{key}", "is no text", "Hadoop's settings are texts.")
        found[f"{prefix}.hadoop.{key}"] = value
    return found


def configure(
    builder: SparkSession.Builder,
    name: str,
    uri: str,
    data_path: str | os.PathLike[str] | None = None,
    *,
    extension: bool = True,
    hadoop: Mapping[str, str] | None = None,
    **options: Option | datetime | date | os.PathLike[str],
) -> SparkSession.Builder:
    """Register a lake as a catalog of the session to be built; call it once per lake.

    Where Spark runs already, as in a notebook or below `spark-submit`, the connector is added to it
    at once, but not its extension: a warning says so. A server of Spark Connect brings the jars
    itself: such a session gets the catalog's keys alone. Where Spark does not run yet, the secrets
    of the catalog, but not `spark.hadoop.` keys of the builder, are kept out of the JVM's command
    line, and `spark.redaction.regex`, unless set, hides secrets of Hadoop that Spark does not know.

    Args:
        builder: a session builder; jars and extensions set on it before are kept.
        name: the catalog's name in SQL.
        uri: the lake's address, as DuckDB's ATTACH takes it.
        data_path: where files go when the lake is created.
        extension: whether to add DuckDB's words to SQL.
        hadoop: of Hadoop's file systems for this lake's files: `{"fs.s3a.secret.key": …}`.
        options: other keys of the catalog, with underscores: `read_only=True`.

    Returns:
        The builder.

    Raises:
        InvalidSettingError: the name cannot be that of a catalog, or an option is not known.
        InvalidUriError: the address is no text, or empty.
        TypeError: it is no builder, but a session.
        UnsupportedError: Spark runs already, and in a way that nothing can be added to it.
        WrongSparkError: this package does not serve the version of Spark.

    Example:
        >>> builder = configure(SparkSession.builder, "lake", "ducklake:sqlite:lake.sqlite")
    """
    _refuse_other_than_builder(builder)
    for key, value in settings(name, uri, data_path, hadoop=hadoop, **options).items():
        builder.config(key, value)
    if is_remote(_known(builder)):
        return builder
    if _jvm.is_running():
        _jvm.load(jars())
    started = _jvm.settings()
    if _jvm.context() is not None:
        _jvm.distribute(jars())
        if extension and EXTENSION_CLASS not in started.get("spark.sql.extensions", ""):
            _warn_of_extension()
        return builder
    hide_secrets(builder)
    _bring(builder, {**started, **_known(builder)}, extension)
    return builder


def _bring(builder: SparkSession.Builder, known: Mapping[str, str], extension: bool) -> None:
    """What a session starts with that does not run yet, beside the settings that it has."""
    builder.config("spark.jars", _with_jars(known.get("spark.jars", "")))
    if PATTERN_KEY not in known:
        builder.config(PATTERN_KEY, PATTERN)
    if extension:
        loaded = known.get("spark.sql.extensions", "")
        builder.config("spark.sql.extensions", _joined(loaded, [EXTENSION_CLASS]))


def _refuse_other_than_builder(builder: object) -> None:
    if not callable(getattr(builder, "config", None)):
        raise TypeError(
            f"configure takes a builder, SparkSession.builder, not a {type(builder).__name__}; "
            "where Spark runs already, the builder's getOrCreate() gives that session"
        )


def _warn_of_extension() -> None:
    """Tell what a running session lacks; the warning points at the caller of `configure`."""
    warnings.warn(
        "This Spark session runs without the extension of ducklake_spark and can take none now: "
        "tables and procedures work, DuckDB's words in SQL do not, such as `FROM t AT "
        f"(VERSION => 3)`. {_jvm.hint(_jvm.release())} Or say extension=False.",
        stacklevel=3,
    )


def _known(builder: SparkSession.Builder) -> Mapping[str, str]:
    """What was set on a builder so far; PySpark has no public way to ask."""
    return dict(builder._options)


def _with_jars(listed: str) -> str:
    """A list of jars with those of this package, none of them twice by its file's name."""
    there = {Path(entry).name for entry in listed.split(",")}
    return _joined(listed, [jar for jar in jars() if Path(jar).name not in there])


def _joined(listed: str, more: Iterable[str]) -> str:
    """A comma-separated list with more entries, none of them twice."""
    present = [entry for entry in listed.split(",") if entry]
    return ",".join(dict.fromkeys([*present, *more]))


def _refuse_unusable(name: str, uri: str) -> None:
    """Refuse what Spark would take for something else, or refuse only later.

    Raises:
        InvalidSettingError: the name cannot be that of a catalog.
        InvalidUriError: the address is no text, or empty.
    """
    if not isinstance(name, str) or not name.strip() or "." in name:
        raise _invalid("name", f"is `{name}`", "A catalog has a name of one part, without a dot.")
    if not isinstance(uri, str) or not uri.strip():
        raise InvalidUriError(
            f"The catalog address `{uri}` is no text. Write what DuckDB's ATTACH takes, such as "
            "`ducklake:sqlite:/data/lake.sqlite`. SQLSTATE: 08001",
            InvalidUriError.condition,
            {"uri": str(uri), "why": "is no text"},
            sql_state="08001",
        )


def _key(name: str) -> str:
    """The key that a Python name stands for; what follows a prefix is another's own name.

    Raises:
        InvalidSettingError: there is no such key.
    """
    if name in _NAMES:
        return _NAMES[name]
    if name.startswith("hadoop_"):
        hint = 'Hadoop has names of its own: hadoop={"fs.s3a.access.key": …}.'
        raise _invalid(name, "is not known", hint)
    for prefix in PREFIXES:
        group = prefix[:-1]
        if name.startswith((f"{group}_", prefix)):
            rest = name[len(prefix) :]
            return prefix + (rest if prefix.endswith(".") else rest.replace("_", "-"))
    nearest = difflib.get_close_matches(name, _NAMES, n=1, cutoff=0)[0]
    raise _invalid(name, "is not known", f"The nearest known one is `{nearest}`.")


def _invalid(key: str, why: str, hint: str) -> InvalidSettingError:
    """The error of a setting that cannot be used, as the connector words it."""
    return InvalidSettingError(
        f"Setting `{key}` {why}. {hint} SQLSTATE: 42616",
        InvalidSettingError.condition,
        {"key": key, "why": why},
        sql_state="42616",
    )


def _text(value: Option | datetime | date | os.PathLike[str]) -> str:
    """A setting's value as Spark takes it."""
    if isinstance(value, datetime):
        return value.isoformat(sep=" ")
    if isinstance(value, date):
        return value.isoformat()
    return os.fspath(value) if isinstance(value, os.PathLike) else option_text(value)
