"""A page that shows a lake: how it grew, what its tables hold, what upkeep would gain.

It asks the catalog database alone, without Spark, and opens no data file. matplotlib is loaded for
the page and for pictures only: commands also use what is counted here.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timezone
from html import escape
from os import PathLike
from pathlib import Path

from ducklake_spark_catalog import database
from ducklake_spark_catalog.catalog import catalog
from ducklake_spark_catalog.data_folder import data_folder
from ducklake_spark_catalog.failure import Failure
from ducklake_spark_catalog.places import Place
from ducklake_spark_report.asking import told_in_words
from ducklake_spark_report.facts import Facts


@dataclass(frozen=True, repr=False)
class Report:
    """A report of a lake: `html` is the page. A notebook shows it."""

    facts: Facts
    html: str

    def __repr__(self) -> str:
        """The lake and the snapshot."""
        return f"<Report of {self.facts.address} at snapshot {self.facts.snapshot}>"

    def _repr_html_(self) -> str:
        """The page in a frame of its own."""
        frame = "width:100%;height:80vh;border:0"
        return f'<iframe title="Report" style="{frame}" srcdoc="{escape(self.html)}"></iframe>'

    def save(self, file: str | PathLike[str]) -> Path:
        """Write the page to a file.

        Raises:
            OSError: it cannot be written.
        """
        path = Path(file)
        path.write_text(self.html, encoding="utf-8")
        return path


def facts_of(place: Place) -> Facts:
    """The facts of a lake at its newest snapshot.

    Raises:
        Failure: the lake cannot be read, or rows of its catalog contradict each other.
    """
    from ducklake_spark_report.survey import survey

    with database.opened(place) as connection, told_in_words(connection.display):
        found = catalog(connection)
        now = datetime.now(timezone.utc)
        return survey(found, connection.display, data_folder(found, place).path, now)


def report(place: Place, *, name: str = "lake") -> Report:
    """The report of a lake at its newest snapshot, which also says what upkeep would gain today.

    Args:
        place: where the lake is.
        name: what the lake is called in the statements that the page advises.

    Raises:
        Failure: the lake cannot be read, or matplotlib is not installed.
    """
    try:
        from ducklake_spark_report.page import page
    except ModuleNotFoundError as missing:
        if missing.name != "matplotlib":
            raise
        what = "The package matplotlib draws the pictures of the page:"
        raise Failure(what, "pip install 'ducklake-spark[report]'.") from missing
    found = facts_of(place)
    return Report(found, page(found, name, f"ducklake-spark {_version()}".rstrip()))


def _version() -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("ducklake-spark")
    except PackageNotFoundError:
        return ""
