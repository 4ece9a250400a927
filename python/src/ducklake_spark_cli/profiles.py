"""Which lake a command works on: an address, or a profile in a TOML file."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from datetime import date
from pathlib import Path
from typing import Any

import click

from ducklake_spark_catalog.failure import Failure
from ducklake_spark_catalog.places import FOREIGN, Place, Setting, text
from ducklake_spark_catalog.redaction import shown

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

LOCAL_FILE = "ducklake-spark.toml"

_EXAMPLE = """\
default = "prod"

[lakes.prod]
uri = "ducklake:sqlite:/data/lake.sqlite"
"""

_KEYS_WITH_DOTS = {"spark": '"spark.master" = "local[8]"', "hadoop": '"fs.s3a.endpoint" = "…"'}


class NotNamed(Failure):
    """No lake is named, neither in the command nor as the default of the file with profiles."""

    def __init__(self, file: Path) -> None:
        """The message, with the ways to name one."""
        super().__init__(
            "No lake is named.",
            "Give --lake with an address such as ducklake:sqlite:lake.sqlite, set DUCKLAKE_LAKE, "
            f"or write a profile into {file}:\n\n{_EXAMPLE}",
        )


def config_file(given: str | None) -> Path:
    """The file with profiles: the one that is named, one in this folder, or that of the user."""
    if given:
        return Path(given)
    local = Path(LOCAL_FILE)
    return local if local.is_file() else Path(click.get_app_dir("ducklake-spark"), "config.toml")


def place(lake: str | None, config: str | None) -> Place:
    """The lake that `--lake` names, or else the default profile.

    Raises:
        NotNamed: neither names one.
        Failure: there is no such profile, or the file cannot be read.
    """
    if lake is not None and ":" in lake:
        return Place(lake)
    file = config_file(config)
    content = _read(file, required=config is not None)
    profiles: Mapping[str, Any] = content.get("lakes", {})
    name = lake or content.get("default") or (next(iter(profiles)) if len(profiles) == 1 else None)
    if name is None:
        raise NotNamed(file)
    if name not in profiles:
        known = ", ".join(sorted(profiles)) or "none"
        # It may be an address without its prefix, with a password in it.
        raise Failure(
            f"There is no profile `{shown(name)}` in {file}.",
            f"Profiles there: {known}. An address begins with `ducklake:` or `jdbc:`.",
        )
    return _profile(name, profiles[name], file)


def names(config: str | None) -> list[str]:
    """The profiles that there are; none when the file cannot be read."""
    try:
        return sorted(_read(config_file(config), required=False).get("lakes", {}))
    except Failure:
        return []


def _profile(name: str, content: Any, file: Path) -> Place:  # noqa: ANN401
    if not isinstance(content, dict) or not isinstance(content.get("uri"), str):
        raise Failure(f"Profile `{name}` in {file} has no `uri`.", f"Write:\n\n{_EXAMPLE}")
    spark, hadoop = (_own(content, table, name, file) for table in ("spark", "hadoop"))
    if foreign := [key for key in spark if not key.startswith("spark.")]:
        raise Failure(
            f"Key `{foreign[0]}` of [lakes.{name}.spark] in {file} is no setting of Spark.",
            'Its settings begin with `spark.`, such as "spark.master".',
        )
    own = {key: value for key, value in content.items() if key not in ("spark", "hadoop")}
    _refuse_others(own, f"profile `{name}` in {file}", '"retry.max-count" = 3')
    rest = {key: value for key, value in own.items() if key != "uri"}
    pairs = [(_with_hyphens(key), _setting(value)) for key, value in rest.items()]
    pairs += [(f"hadoop.{key}", value) for key, value in hadoop.items()]
    settings = dict(pairs)
    if len(settings) < len(pairs):
        known = [key for key, _ in pairs]
        twice = next(key for key in known if known.count(key) > 1)
        raise Failure(f"Profile `{name}` in {file} has `{twice}` twice.", "Leave one of them out.")
    uri, origin = os.path.expanduser(content["uri"]), f"profile `{name}` in {file}"
    return Place(uri, settings, spark, name, origin)


def _own(content: Mapping[str, Any], table: str, name: str, file: Path) -> dict[str, str]:
    """The settings in a table of a profile: those of Spark, or of Hadoop."""
    found = content.get(table, {})
    if not isinstance(found, dict):
        raise Failure(
            f"Key `{table}` of profile `{name}` in {file} is no table.",
            f"Write its keys below [lakes.{name}.{table}].",
        )
    _refuse_others(found, f"[lakes.{name}.{table}] in {file}", _KEYS_WITH_DOTS[table])
    return {key: text(value) for key, value in found.items()}


def _refuse_others(content: Mapping[str, Any], where: str, example: str) -> None:
    """Refuse what is no single value, such as a key with dots that is not quoted.

    For TOML such a key names a table in a table. Its numbers have 64 bits. No path, address or
    driver takes a NUL character.
    """
    for key, value in content.items():
        if "\0" in key or (isinstance(value, str) and "\0" in value):
            raise Failure(f"Key `{key}` of {where} has a NUL character.", "Leave it out.")
        if isinstance(value, int) and not -(2**63) <= value < 2**63:
            raise Failure(
                f"Key `{key}` of {where} is a number of more than 64 bits.", "Write a smaller one."
            )
        if not isinstance(value, (str, bool, int, float, date)):
            is_table = isinstance(value, dict)
            raise Failure(
                f"Key `{key}` of {where} is {'a table' if is_table else 'no single value'}.",
                f"Quote a key with dots: {example}."
                if is_table
                else "Write a text, a number, a date, true or false.",
            )


def _with_hyphens(key: str) -> str:
    """A key of the catalog as its page spells it; names of Hadoop and of drivers stay.

    Example:
        >>> _with_hyphens("data_path"), _with_hyphens("hadoop.fs.s3a.my_key")
        ('data-path', 'hadoop.fs.s3a.my_key')
    """
    return key if key.startswith(FOREIGN) else key.replace("_", "-")


def _setting(value: Setting | date) -> Setting:
    """A value of a profile; TOML's dates and times as their text.

    Example:
        >>> _setting(date(2026, 1, 31)), _setting(3)
        ('2026-01-31', 3)
    """
    return str(value) if isinstance(value, date) else value


def _read(file: Path, *, required: bool) -> dict[str, Any]:
    """What a file says: `lakes` is a table, `default` a text."""
    content = _parsed(file, required=required)
    for key, kind, what in (("lakes", dict, "a table"), ("default", str, "a text")):
        if not isinstance(content.get(key, kind()), kind):
            raise Failure(f"Key `{key}` of {file} is not {what}.", f"Write:\n\n{_EXAMPLE}")
    return content


def _parsed(file: Path, *, required: bool) -> dict[str, Any]:
    try:
        return dict(tomllib.loads(file.read_text(encoding="utf-8")))
    except FileNotFoundError as missing:
        if required:
            raise Failure(f"There is no file {file}.") from missing
        return {}
    except RecursionError as failure:
        raise Failure(f"{file} cannot be read: its values are nested too deeply.") from failure
    except (OSError, ValueError) as failure:
        # Python has errors of its own for a number of thousands of digits, and for a file's name.
        raise Failure(f"{file} cannot be read: {failure}.") from failure
