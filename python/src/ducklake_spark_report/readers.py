"""What Spark's expiry keeps: snapshots with names, and what registered readers have not read."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from ducklake_spark_catalog.catalog import OF_NAMES, OF_READERS, Catalog
from ducklake_spark_catalog.failure import Failure
from ducklake_spark_catalog.moments import moment
from ducklake_spark_report.ages import before

_RETENTION = "7 days"


@dataclass(frozen=True)
class Reader:
    """How far a stream, or a reader outside of Spark, has read a table.

    Attributes:
        table: its name; None when it is gone.
        snapshot: the last that was read; it is kept, and so are all later ones.
        since: the time of the registration.
        is_late: whether that is longer ago than `reader-retention`, so that it keeps nothing.
    """

    name: str
    table: str | None
    snapshot: int
    since: datetime
    is_late: bool


def readers(catalog: Catalog, now: datetime) -> tuple[Reader, ...]:
    """The readers at a moment. All count when the option `reader-retention` is not understood.

    Raises:
        Failure: the catalog has a reader without a position.
    """
    rows = catalog.options()
    stored = {row["option_name"]: row["option_value"] for row in rows if row["scope"] == "global"}
    limit = before(now, stored.get("reader-retention", _RETENTION))
    found = []
    for row in rows:
        if row["option_name"].startswith(OF_READERS):
            name = row["option_name"].removeprefix(OF_READERS)
            number, _, time = row["option_value"].partition(" ")
            try:
                snapshot, since = int(number), moment(time)
            except ValueError:
                raise Failure(
                    f"The reader {name} has the position `{row['option_value']}`.",
                    f"CALL lake.system.forget_reader('{name}')",
                ) from None
            is_late = limit is not None and since < limit
            found.append(Reader(name, row["scope_entry"], snapshot, since, is_late))
    return tuple(found)


def named_snapshots(catalog: Catalog) -> tuple[int, ...]:
    """The snapshots that have names, each once.

    Raises:
        Failure: the catalog has a name that stands for no number.
    """
    found = set()
    for row in catalog.options():
        if row["scope"] == "global" and row["option_name"].startswith(OF_NAMES):
            try:
                found.add(int(row["option_value"]))
            except ValueError:
                name = row["option_name"].removeprefix(OF_NAMES)
                raise Failure(
                    f"The name `{name}` stands for the snapshot `{row['option_value']}`.",
                    f"Delete the option `{row['option_name']}` from ducklake_metadata.",
                ) from None
    return tuple(sorted(found))
