"""Times as people, catalog databases and commands write them."""

from __future__ import annotations

import re
from datetime import datetime, timedelta, timezone

_TIME = re.compile(
    r"(\d{4,})-(\d\d)-(\d\d)(?:[ T](\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,6})\d*)?)?"
    r"(?:([+-])(\d\d):?(\d\d)?|Z)?)?"
)


_AGE = re.compile(r"(\d+)\s+(second|minute|hour|day|week|month|year)s?", re.IGNORECASE)


def age(text: str) -> tuple[int, str] | None:
    """How long ago something was, as options of DuckLake write it; None for other texts.

    Example:
        >>> age("7 days"), age("1 Month"), age("2026-01-31")
        ((7, 'day'), (1, 'month'), None)
    """
    found = _AGE.fullmatch(text.strip())
    return None if found is None else (int(found[1]), found[2].lower())


def moment(text: str) -> datetime:
    """A time, in UTC; without an offset it is UTC, and a date is its first moment.

    Raises:
        ValueError: it is none.

    Example:
        >>> moment("2026-11-20 17:13:52.95+00").isoformat()
        '2026-11-20T17:13:52.950000+00:00'
        >>> moment("2026-11-20 17:13:52+05:30").isoformat()
        '2026-11-20T11:43:52+00:00'
        >>> moment("2026-01-31").isoformat()
        '2026-01-31T00:00:00+00:00'
    """
    found = _TIME.fullmatch(text)
    if found is None:
        raise ValueError(f"{text!r} is no time such as 2026-01-31 or 2026-01-31 18:00:00+01:00")
    year, month, day, hour, minute, second, fraction, sign, hours, minutes = found.groups()
    micros = int((fraction or "0").ljust(6, "0"))
    local = datetime(
        *(int(year), int(month), int(day), int(hour or 0), int(minute or 0), int(second or 0)),
        micros,
        tzinfo=timezone.utc,
    )
    offset = timedelta(hours=int(hours or 0), minutes=int(minutes or 0))
    try:
        return local + offset if sign == "-" else local - offset
    except OverflowError:
        raise ValueError(f"{text!r} is before the year 1 or after the year 9999 in UTC") from None


def moment_or_age(text: str) -> datetime | str:
    """A time, or how long ago it was, which stays as it is.

    Raises:
        ValueError: it is neither.

    Example:
        >>> moment_or_age("7 days"), moment_or_age("2026-01-31").isoformat()
        ('7 days', '2026-01-31T00:00:00+00:00')
    """
    if age(text) is not None:
        return text
    try:
        return moment(text)
    except ValueError as failure:
        raise ValueError(f"{failure}, and no age such as '7 days'") from None


def in_utc(text: str) -> str:
    """A time of a catalog database in UTC; what is none stays as it is.

    DuckDB writes times into SQLite in the zone of its session.

    Example:
        >>> in_utc("2026-11-20 17:13:52+05:30"), in_utc("infinity")
        ('2026-11-20 11:43:52+00:00', 'infinity')
    """
    try:
        return str(moment(text))
    except ValueError:
        return text
