"""The versions of Spark that are served, and the line of each: the version its jar is named by."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from pathlib import Path

LINES = {"4.0": "4.0", "4.1": "4.1", "4.2": "4.2", "4.3": "4.2"}
"""From a version of Spark to its line, the oldest first. The build has it in SparkLines.scala."""

_MINOR = re.compile(r"(\d+)\.(\d+)")
_JAR = re.compile(r"spark-core_[\d.]+-(.+)\.jar")


def line_of(release: str) -> str | None:
    """The line that serves a release of Spark, such as 4.2 for 4.3.0; None when none does."""
    found = _MINOR.match(release)
    return LINES.get(found[0]) if found else None


def refusal(release: str) -> tuple[str, str]:
    """Why a release of Spark is not served, without a full stop, and what to do."""
    why = f"ducklake-spark serves Spark {listed(LINES)}, not {release}"
    if is_too_old(release):
        return why, "DuckDB reads the same lake."
    return why, "Take one of these, or a newer ducklake-spark."


def is_too_old(release: str) -> bool:
    """Whether a release of Spark is older than the lines."""
    found = _MINOR.match(release)
    return found is not None and int(found[1]) < 4


def listed(names: Iterable[str]) -> str:
    """Names with commas, and a word before the last one."""
    *others, last = names
    return f"{', '.join(others)} and {last}" if others else last


def home_release() -> str | None:
    """The release of the Spark in SPARK_HOME; None without one, or where its jars do not tell it.

    PySpark starts that Spark, whatever version PySpark itself has.
    """
    home = os.environ.get("SPARK_HOME")
    names = (path.name for path in Path(home, "jars").glob("spark-core_*.jar")) if home else ()
    return next((found[1] for found in map(_JAR.fullmatch, names) if found), None)
