"""DuckDB's texts of dates and timestamps as numbers, also outside of the years 1 to 9999."""

from __future__ import annotations

import re

MICROS_PER_DAY = 86_400_000_000
INFINITY = {"infinity": "+infinity", "-infinity": "-infinity"}
DATE_ENDS = {2**31 - 1: "+infinity", -(2**31): "-infinity", -(2**31) + 1: "-infinity"}
MICROS_ENDS = {2**63 - 1: "+infinity", -(2**63): "-infinity", -(2**63) + 1: "-infinity"}

_STAMP = re.compile(
    r"(\d+)-(\d\d)-(\d\d)( \(BC\))?(?: (\d\d):(\d\d):(\d\d)(?:\.(\d{1,9}))?)?(\+00)?"
)


def days_from_civil(year: int, month: int, day: int) -> int:
    """Days since 1970-01-01 in the proleptic Gregorian calendar, astronomical years."""
    year -= month <= 2
    era, year_of_era = divmod(year, 400)
    day_of_year = (153 * (month + (-3 if month > 2 else 9)) + 2) // 5 + day - 1
    day_of_era = year_of_era * 365 + year_of_era // 4 - year_of_era // 100 + day_of_year
    return era * 146_097 + day_of_era - 719_468


def days(text: str) -> int | str:
    """Days since 1970-01-01, or the name of an infinity."""
    return INFINITY.get(text) or _parts(text)[0]


def micros(text: str) -> int | str:
    """Microseconds since 1970-01-01, nanoseconds rounded down, or the name of an infinity."""
    if text in INFINITY:
        return INFINITY[text]
    day, nanos = _parts(text)
    return day * MICROS_PER_DAY + nanos // 1000


def _parts(text: str) -> tuple[int, int]:
    """Days and nanoseconds of the day."""
    match = _STAMP.fullmatch(text)
    if match is None:
        raise ValueError(f"not a date or timestamp of DuckDB: {text!r}")
    year = 1 - int(match[1]) if match[4] else int(match[1])
    day = days_from_civil(year, int(match[2]), int(match[3]))
    seconds = int(match[5] or 0) * 3600 + int(match[6] or 0) * 60 + int(match[7] or 0)
    return day, seconds * 1_000_000_000 + int((match[8] or "").ljust(9, "0"))
