"""What a report says about a lake."""

from __future__ import annotations

from datetime import datetime

from ducklake_spark_catalog import database
from ducklake_spark_catalog.catalog import catalog
from ducklake_spark_catalog.places import Place
from ducklake_spark_report.facts import Facts, Table
from ducklake_spark_report.survey import survey

from support.lakes import Lake
from support.shown import NOW


def facts_of(lake: Lake, now: datetime = NOW) -> Facts:
    """The facts of a lake as if it were that time."""
    with database.opened(Place(lake.uri)) as opened:
        return survey(catalog(opened), opened.display, "/data/", now)


def table_of(facts: Facts, name: str) -> Table:
    """A table of the lake by its own name."""
    (found,) = [each for each in facts.tables if each.name == name]
    return found
