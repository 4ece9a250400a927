"""SQL text: names, values and calls, quoted the way Spark reads them."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from decimal import Decimal
from numbers import Integral
from typing import SupportsIndex, TypeAlias

from pyspark.sql import Column

from ducklake_spark._numbers import Number, plain, version_of
from ducklake_spark_catalog.moments import age
from ducklake_spark_catalog.texts import constant

Time: TypeAlias = "datetime | date | str"
"""A point in time. A date is its beginning; without a zone, the session's zone is meant."""

Moment: TypeAlias = "SupportsIndex | datetime | date | str"
"""A snapshot's id, or a time."""

_TIME = re.compile(r"[+-]?\d{4,6}(-\d{1,2}(-\d{1,2}([T ].*)?)?)?", re.ASCII)
"""How texts of times begin."""

Age: TypeAlias = "timedelta | Time"
"""A point in time, or how long ago it was: a timedelta, or a text such as `7 days`."""


@dataclass(frozen=True)
class Ago:
    """A point in time by how long ago it was, as Spark writes an interval."""

    interval: str


Value: TypeAlias = "Number | str | datetime | date | Ago | Sequence[Value] | None"

Option: TypeAlias = "Number | str"
"""The value of an option, or of a property."""


def identifier(*parts: str) -> str:
    """A name of one or more parts, each quoted.

    Example:
        >>> identifier("lake", "main", "a`b")
        '`lake`.`main`.`a``b`'
    """
    return ".".join("`" + part.replace("`", "``") + "`" for part in parts)


def literal(value: Value) -> str:
    """A value as an expression that is constant.

    A datetime without a zone means the session's, one with a zone means that instant. A list or
    tuple is an array. Numbers may be NumPy's. In a session with
    `spark.sql.parser.escapedStringLiterals` a backslash and a doubled quote stand for themselves,
    also behind `r'`: a text with a quote or a backslash is written as its bytes. So is one with
    `${`, where Spark would put in a setting or a variable of the environment.

    Raises:
        ValueError: a number is infinite or none.
        TypeError: the value is of another type.

    Example:
        >>> literal("its"), literal("it's")
        ("'its'", "CAST(X'69742773' AS STRING)")
        >>> literal(datetime(2026, 1, 31, 12, 30))
        "TIMESTAMP '2026-01-31 12:30:00'"
        >>> literal(["a", "b"]), literal(Decimal("9.50"))
        ("array('a', 'b')", '9.50BD')
    """
    found = plain(value)
    if found is None:
        return "NULL"
    if isinstance(found, bool):
        return "true" if found else "false"
    if isinstance(found, int):
        return str(found)
    if isinstance(found, Ago):
        return f"now() - INTERVAL {found.interval}"
    if isinstance(found, datetime):
        return f"TIMESTAMP '{found.isoformat(sep=' ')}'"
    if isinstance(found, date):
        return f"DATE '{found.isoformat()}'"
    if isinstance(found, str):
        return constant(found)
    if isinstance(found, (float, Decimal)):
        if not math.isfinite(found):
            raise ValueError(f"SQL has no literal for {found}")
        return f"{found!r}D" if isinstance(found, float) else f"{found:f}BD"
    if isinstance(found, (list, tuple)):
        return f"array({', '.join(map(literal, found))})"
    raise TypeError(f"SQL has no literal for a {type(found).__name__}: {found!r}")


def clause_text(text: str) -> str:
    r"""A text where Spark takes no expression: in COMMENT, in properties and in options.

    There a backslash escapes whatever the session's settings are, also the bracket of `${`, where
    Spark would put in a setting or a variable of the environment.

    Example:
        >>> print(clause_text("it's"))
        'it\'s'
    """
    plain = text.replace("\\", "\\\\").replace("'", "\\'").replace("${", "$\\{")
    return f"'{plain}'"


def expression(value: Value) -> str:
    """What a column is set to: text is SQL, other values are themselves.

    Example:
        >>> expression("upper(name)"), expression(3), expression(date(2026, 1, 31))
        ('upper(name)', '3', "DATE '2026-01-31'")
    """
    return value if isinstance(value, str) else literal(value)


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


def as_of(version: SupportsIndex | None, time: Time | None) -> str:
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


def refuse_other_than_condition(condition: object) -> None:
    """Refuse a condition that is neither text nor a Column.

    Raises:
        TypeError: it is something else.
    """
    if not isinstance(condition, (str, Column)):
        raise TypeError(f"a condition is SQL text such as 'id = 1' or a Column, not {condition!r}")


def since(given: Age | None) -> Time | Ago | None:
    """A point in time, also one that is given by its age, by the clock of Spark's driver.

    Raises:
        TypeError: it is something else.
        ValueError: the age is negative.

    Example:
        >>> since("7 days"), since(timedelta(hours=36)), since("2026-01-31")
        (Ago(interval='7 DAY'), Ago(interval="'1 12:00:00.000000' DAY TO SECOND"), '2026-01-31')
    """
    if isinstance(given, timedelta):
        if given < timedelta(0):
            raise ValueError(f"an age is not negative: {given}")
        minutes, seconds = divmod(given.seconds, 60)
        clock = f"{minutes // 60:02}:{minutes % 60:02}:{seconds:02}.{given.microseconds:06}"
        return Ago(f"'{given.days} {clock}' DAY TO SECOND")
    if isinstance(given, str) and (length := age(given)) is not None:
        return Ago(f"{length[0]} {length[1].upper()}")
    return None if given is None else _time_of(given, ", or an age: a timedelta, '7 days'")


def moment_of(
    moment: Moment | None,
    version: SupportsIndex | None,
    time: Time | None,
    named: int | None = None,
) -> tuple[int | None, Time | None]:
    """A version or a time, from what was given: a number is a version, all else is a time.

    A text of digits alone is a number too: no date is written so. `named` is the id of a snapshot
    that was given by its name.

    Raises:
        ValueError: nothing is given, or several are.
        TypeError: it is of another type.

    Example:
        >>> moment_of(3, None, None), moment_of("3", None, None)
        ((3, None), (3, None))
        >>> moment_of(date(2026, 1, 31), None, None)
        (None, datetime.date(2026, 1, 31))
    """
    given = [each for each in (moment, version, time, named) if each is not None]
    if len(given) != 1:
        raise ValueError("give a version or a time")
    if isinstance(moment, str) and moment.isascii() and moment.isdigit():
        return int(moment), None
    if time is None and (moment is None or isinstance(moment, (bool, Integral))):
        return version_of(given[0]), None
    return None, _time_of(given[0])


def _time_of(given: object, more: str = "") -> Time:
    if isinstance(given, (date, str)):
        return given
    raise TypeError(f"a time is a datetime, a date or text{more}, not {given!r}")


def properties(given: Mapping[str, Option]) -> str:
    """The clause of table properties, with a space before it; empty when there are none.

    Example:
        >>> properties({"target_file_size": 1000000, "owner": "Ada"})
        " TBLPROPERTIES ('target_file_size' = '1000000', 'owner' = 'Ada')"
    """
    pairs = [
        f"{clause_text(key)} = {clause_text(option_text(value))}" for key, value in given.items()
    ]
    return f" TBLPROPERTIES ({', '.join(pairs)})" if pairs else ""


def option_text(value: Option) -> str:
    """The text that is stored for the value of an option.

    Raises:
        TypeError: the value is no number, text or boolean.

    Example:
        >>> option_text(True), option_text(10), option_text("7 days")
        ('true', '10', '7 days')
    """
    found = plain(value)
    if not isinstance(found, (str, bool, int, float, Decimal)):
        raise TypeError(f"the value of an option or a property is text or a number, not {value!r}")
    if isinstance(found, Decimal):
        return f"{found:f}"
    return str(found).lower() if isinstance(found, bool) else str(found)


def with_options(options: dict[str, str | None]) -> str:
    """The clause with the options of a read, with a space before it; those of None are left out.

    Example:
        >>> with_options({"start-snapshot": "3", "end-snapshot": None})
        " WITH ('start-snapshot' = '3')"
    """
    given = [
        f"{clause_text(key)} = {clause_text(value)}"
        for key, value in options.items()
        if value is not None
    ]
    return f" WITH ({', '.join(given)})" if given else ""


def range_options(start: Moment, end: Moment | None) -> dict[str, str | None]:
    """The options of a change feed: ids and names are snapshots, all else are times.

    Example:
        >>> range_options(3, None)
        {'start-snapshot': '3'}
        >>> range_options("year end", None)
        {'start-snapshot': 'year end'}
        >>> range_options("2026-01-31", datetime(2026, 2, 1))
        {'start-timestamp': '2026-01-31', 'end-timestamp': '2026-02-01 00:00:00'}
    """
    found: dict[str, str | None] = {}
    for name, moment in (("start", start), ("end", end)):
        if moment is None:
            continue
        if isinstance(moment, str) and not (moment.isdigit() or _TIME.fullmatch(moment.strip())):
            found[f"{name}-snapshot"] = moment
            continue
        version, time = moment_of(moment, None, None)
        if version is not None:
            found[f"{name}-snapshot"] = str(version)
        elif isinstance(time, datetime):
            found[f"{name}-timestamp"] = time.isoformat(sep=" ")
        else:
            found[f"{name}-timestamp"] = time.isoformat() if isinstance(time, date) else time
    return found
