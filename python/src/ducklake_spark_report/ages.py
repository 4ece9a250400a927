"""Ages such as `2 days`, from which on snapshots and files may go."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone

from ducklake_spark_catalog import moments

_LENGTHS = {
    "second": timedelta(seconds=1),
    "minute": timedelta(minutes=1),
    "hour": timedelta(hours=1),
    "day": timedelta(days=1),
    "week": timedelta(days=7),
    "month": timedelta(days=30),
    "year": timedelta(days=365),
}


def before(now: datetime, age: str) -> datetime | None:
    """The time that lies an age before; None for an interval that is not of this form.

    Where the calendar does not go so far back, it is the beginning of the calendar.

    Example:
        >>> noon = datetime(2026, 1, 8, 12, tzinfo=timezone.utc)
        >>> [str(before(noon, age)) for age in ("7 days", "12 HOURS", "3000 years")]
        ['2026-01-01 12:00:00+00:00', '2026-01-08 00:00:00+00:00', '0001-01-01 00:00:00+00:00']
        >>> before(noon, "1 month 2 days")
    """
    found = moments.age(age)
    if found is None:
        return None
    number, unit = found
    try:
        return now - number * _LENGTHS[unit]
    except OverflowError:
        return datetime.min.replace(tzinfo=timezone.utc)
