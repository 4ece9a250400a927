"""The keys of a catalog and what their values may be, as the connector checks them.

They are known here so that commands without Spark refuse what Spark refuses. A test compares them
with the connector's own.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Mapping

from ducklake_spark_catalog.failure import Failure
from ducklake_spark_catalog.moments import moment
from ducklake_spark_catalog.places import Place, text

Kind = Callable[[str], str]
"""Gives what to write instead of a text that cannot be the value; empty where it can."""


def _any(_: str) -> str:
    return ""


def _flag(given: str) -> str:
    return "" if given.lower() in ("true", "false") else "Write true or false."


def _whole(least: int, most: int) -> Kind:
    """Of a whole number.

    Example:
        >>> _whole(0, 9)("5"), _whole(0, 9)("5s")
        ('', 'Write a whole number from 0 to 9.')
    """

    def hint(given: str) -> str:
        # Python makes no number of thousands of digits, even when they are zeros.
        is_one = re.fullmatch(r"\+?0*[0-9]{1,19}", given) and (
            least <= int(given.lstrip("+0") or "0") <= most
        )
        return "" if is_one else f"Write a whole number from {least} to {most}."

    return hint


def _factor(given: str) -> str:
    try:
        return "" if float(given) >= 1 else "Write a number of at least 1."
    except ValueError:
        return "Write a number of at least 1."


def _time(given: str) -> str:
    try:
        moment(given)
    except ValueError:
        return "Write 2026-01-31 12:00:00."
    return ""


def _version(given: str) -> str:
    return "" if given in ("1.0", "1.1") else "Write 1.0 or 1.1."


def _level(given: str) -> str:
    known = given.strip().lower() in ("snapshot", "serializable")
    return "" if known else "Write snapshot or serializable."


_INT = _whole(0, 2**31 - 1)
_LONG = _whole(0, 2**63 - 1)

KINDS: Mapping[str, Kind] = {
    "uri": _any,
    "data-path": _any,
    "override-data-path": _flag,
    "create-if-not-exists": _flag,
    "metadata-schema": _any,
    "encrypted": _flag,
    "data-inlining-row-limit": _LONG,
    "isolation-level": _level,
    "snapshot-version": _LONG,
    "snapshot-time": _time,
    "read-only": _flag,
    "late-materialization": _flag,
    "automatic-migration": _flag,
    "ducklake-version": _version,
    "busy-timeout": _INT,
    "user": _any,
    "password": _any,
    "password-file": _any,
    "retry.max-count": _INT,
    "retry.wait-ms": _LONG,
    "retry.backoff": _factor,
    "retry.statement-count": _INT,
    "pool.size": _whole(1, 2**31 - 1),
    "pool.wait-ms": _LONG,
    "web.max-bytes": _LONG,
    "web.timeout-ms": _LONG,
    "planning.max-bytes": _LONG,
    "metadata-catalog": _any,
    "metadata-parameters": _any,
    "metadata-path": _any,
    "write-deletion-vectors": _any,
}

PREFIXES = ("jdbc.", "hadoop.", "meta-")


_PINS = ("snapshot-version", "snapshot-time")


def check(place: Place) -> None:
    """Refuse settings that Spark refuses.

    Raises:
        Failure: a key is not known, a value cannot be its value, or two contradict each other.
    """
    of = f" of {place.origin}" if place.origin else ""
    for key, value in place.settings.items():
        if key.startswith(PREFIXES):
            continue
        if key not in KINDS:
            nearest = difflib.get_close_matches(key, KINDS, n=1, cutoff=0)[0]
            hint = f"The nearest known is `{nearest}`."
            raise Failure(f"Setting `{key}`{of} is not known.", hint)
        if hint := KINDS[key](text(value)):
            raise Failure(f"Setting `{key}`{of} is `{text(value)}`.", hint)
    if all(pin in place.settings for pin in _PINS):
        both = "` and `".join(_PINS)
        raise Failure(f"Settings `{both}`{of} are both given.", "Give one of them.")
    if is_set(place, "automatic-migration") and is_read_only(place):
        raise Failure(
            f"Setting `automatic-migration`{of} contradicts a read-only or pinned catalog.",
            "Leave one of them out.",
        )


def is_set(place: Place, key: str) -> bool:
    """Whether a flag is true."""
    return text(place.settings.get(key, False)).lower() == "true"


def is_read_only(place: Place) -> bool:
    """Whether the settings refuse every write."""
    return is_set(place, "read-only") or any(pin in place.settings for pin in _PINS)
