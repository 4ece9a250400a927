"""SQL text: names, values and calls, quoted the way Spark reads them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import datetime
from typing import TypeAlias

Moment: TypeAlias = "int | datetime | str"
"""A snapshot's id, or a time."""

Value: TypeAlias = "bool | int | float | str | datetime | Sequence[Value] | None"


def identifier(*parts: str) -> str:
    """A name of one or more parts, each quoted.

    Example:
        >>> identifier("lake", "main", "a`b")
        '`lake`.`main`.`a``b`'
    """
    return ".".join("`" + part.replace("`", "``") + "`" for part in parts)


def literal(value: Value) -> str:
    r"""A value as a literal.

    A datetime without a zone means the session's, one with a zone means that instant. A list or
    tuple is an array.

    Raises:
        ValueError: a number is infinite or none.
        TypeError: the value is of another type.

    Example:
        >>> literal("it's")
        "'it\\'s'"
        >>> literal(datetime(2026, 1, 31, 12, 30))
        "TIMESTAMP '2026-01-31 12:30:00'"
        >>> literal(["a", "b"])
        "array('a', 'b')"
    """
    if value is None:
        return "NULL"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, datetime):
        return f"TIMESTAMP '{value.isoformat(sep=' ')}'"
    if isinstance(value, str):
        return "'" + value.replace("\\", "\\\\").replace("'", "\\'") + "'"
    if isinstance(value, float):
        if not math.isfinite(value):
            raise ValueError(f"SQL has no literal for {value}")
        return f"{value!r}D"
    if isinstance(value, (list, tuple)):
        return f"array({', '.join(map(literal, value))})"
    raise TypeError(f"SQL has no literal for a {type(value).__name__}: {value!r}")


def call(catalog: str, procedure: str, **arguments: Value) -> str:
    """A CALL with named arguments; those that are None are left out.

    Example:
        >>> call("lake", "list_files", table_name="t", snapshot_version=3, schema=None)
        "CALL `lake`.`system`.`list_files`(table_name => 't', snapshot_version => 3)"
    """
    given = [
        f"{name} => {literal(value)}" for name, value in arguments.items() if value is not None
    ]
    return f"CALL {identifier(catalog, 'system', procedure)}({', '.join(given)})"


def as_of(version: int | None, time: datetime | str | None) -> str:
    """The clause that names a snapshot, with a space before it; empty when nothing is given.

    Raises:
        ValueError: both a version and a time are given.

    Example:
        >>> as_of(3, None)
        ' VERSION AS OF 3'
        >>> as_of(None, "2026-01-31 12:30:00")
        " TIMESTAMP AS OF '2026-01-31 12:30:00'"
    """
    if version is not None and time is not None:
        raise ValueError("give a version or a time, not both")
    if version is not None:
        return f" VERSION AS OF {literal(version)}"
    if time is not None:
        return f" TIMESTAMP AS OF {literal(time)}"
    return ""


def with_options(options: dict[str, str | None]) -> str:
    """The clause with the options of a read, with a space before it; those of None are left out.

    Example:
        >>> with_options({"start-snapshot": "3", "end-snapshot": None})
        " WITH ('start-snapshot' = '3')"
    """
    given = [f"{literal(key)} = {literal(value)}" for key, value in options.items() if value]
    return f" WITH ({', '.join(given)})" if given else ""


def range_options(start: Moment, end: Moment | None) -> dict[str, str | None]:
    """The options of a change feed: ids are snapshots, all else are times.

    Example:
        >>> range_options(3, None)
        {'start-snapshot': '3'}
        >>> range_options("2026-01-31", datetime(2026, 2, 1))
        {'start-timestamp': '2026-01-31', 'end-timestamp': '2026-02-01 00:00:00'}
    """
    found: dict[str, str | None] = {}
    for name, moment in (("start", start), ("end", end)):
        if isinstance(moment, int):
            found[f"{name}-snapshot"] = str(moment)
        elif isinstance(moment, datetime):
            found[f"{name}-timestamp"] = moment.isoformat(sep=" ")
        elif moment is not None:
            found[f"{name}-timestamp"] = moment
    return found
