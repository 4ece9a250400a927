"""Numbers and times in words."""

from __future__ import annotations

from datetime import datetime, timedelta


def count(number: int, noun: str) -> str:
    """A number of things.

    Example:
        >>> count(1, "file"), count(1200, "file")
        ('1 file', '1,200 files')
    """
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def share(part: float, whole: float) -> str:
    """A part of a whole in percent.

    Example:
        >>> share(1, 3), share(1, 1000), share(0, 0)
        ('33 %', '< 1 %', '0 %')
    """
    if not part or not whole:
        return "0 %"
    return f"{part / whole:.0%}".replace("%", " %") if part / whole >= 0.01 else "< 1 %"


def moment(time: datetime) -> str:
    """A time of UTC, to the minute."""
    return f"{time:%Y-%m-%d %H:%M} UTC"


def per(length: timedelta) -> str:
    """What is counted in a length of time of whole minutes.

    Example:
        >>> per(timedelta(hours=6)), per(timedelta(days=1)), per(timedelta(minutes=10))
        ('per 6 hours', 'per day', 'per 10 minutes')
    """
    minutes = length // timedelta(minutes=1)
    known = ((1440, "day"), (60, "hour"), (1, "minute"))
    number, noun = next((minutes // each, noun) for each, noun in known if minutes % each == 0)
    return f"per {noun}" if number == 1 else f"per {count(number, noun)}"


def shortened(text: str, most: int) -> str:
    """A text of no more characters than that.

    Example:
        >>> shortened("a long name", 6)
        'a lon…'
    """
    return text if len(text) <= most else text[: most - 1] + "…"
