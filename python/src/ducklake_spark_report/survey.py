"""Collects the facts of a report from a catalog database."""

from __future__ import annotations

from datetime import datetime, timedelta

from ducklake_spark_catalog.catalog import Catalog, in_words
from ducklake_spark_catalog.database import Row
from ducklake_spark_catalog.failure import Failure
from ducklake_spark_catalog.moments import moment
from ducklake_spark_report import history
from ducklake_spark_report.ages import before
from ducklake_spark_report.asking import VISIBLE, Asking
from ducklake_spark_report.facts import Commit, Facts, Past, Point, Scheduled, SizeClass
from ducklake_spark_report.options import Options, options
from ducklake_spark_report.readers import named_snapshots, readers
from ducklake_spark_report.sizes import size_class, size_classes
from ducklake_spark_report.tables import tables

MOST_COMMITS = 20_000
"""Growth and commits are those of the newest snapshots, no more than these."""

_KEPT_DAYS = 7
_DELETED_AFTER = "2 days"
_UP_TO = "FROM {snapshot} WHERE snapshot_id <= ?"


def survey(catalog: Catalog, address: str, data_path: str, now: datetime) -> Facts:
    """The facts of a lake at its newest snapshot. What is committed meanwhile does not count.

    Args:
        catalog: its catalog.
        address: for people, without a password.
        data_path: where its files are.
        now: the age of snapshots counts from here.

    Raises:
        Failure: the catalog does not know how large some of its files are.
    """
    asking = Asking(catalog, catalog.check(None))
    _refuse_unknown_sizes(asking)
    newest_first = _snapshots(asking)
    stored = options(asking)
    return Facts(
        address=address,
        data_path=data_path,
        version=catalog.version,
        snapshot=asking.snapshot,
        time=moment(newest_first[0]["snapshot_time"]),
        snapshots=int(asking.rows(f"SELECT COUNT(*) AS n {_UP_TO}")[0]["n"]),
        tables=tables(asking, stored),
        sizes=_sizes(asking),
        commits=_commits(catalog, newest_first),
        growth=_growth(asking, newest_first),
        past=_past(asking, stored, now),
        scheduled=_scheduled(asking, stored, now),
    )


def _refuse_unknown_sizes(asking: Asking) -> None:
    (unknown,) = asking.rows(
        "SELECT COUNT(*) AS files FROM {data_file} "
        "WHERE file_size_bytes IS NULL OR record_count IS NULL"
    )
    if unknown["files"]:
        raise Failure(
            f"The catalog is damaged: {unknown['files']} rows of ducklake_data_file have NULL as "
            "file_size_bytes or record_count.",
            "DuckDB fails at such files or counts no rows in them. Write what the files have into "
            "these rows.",
        )


def _snapshots(asking: Asking) -> list[Row]:
    has_author = asking.catalog.version != "0.2"
    author = (
        "c.author, c.commit_message" if has_author else "NULL AS author, NULL AS commit_message"
    )
    return asking.rows(
        f"""SELECT s.snapshot_id, CAST(s.snapshot_time AS VARCHAR) AS snapshot_time,
              c.changes_made AS changes, {author}
            FROM (SELECT * {_UP_TO} ORDER BY snapshot_id DESC LIMIT {MOST_COMMITS}) AS s
            LEFT JOIN {{snapshot_changes}} AS c ON c.snapshot_id = s.snapshot_id
            ORDER BY s.snapshot_id DESC"""
    )


def _commits(catalog: Catalog, newest_first: list[Row]) -> tuple[Commit, ...]:
    names = catalog.names()
    found = []
    for row in newest_first:
        changes = tuple(in_words(row["changes"] or "", names))
        found.append(
            Commit(
                int(row["snapshot_id"]),
                moment(row["snapshot_time"]),
                history.kind(change.partition(" ")[0] for change in changes),
                row["author"] or "",
                row["commit_message"] or "",
                changes,
            )
        )
    return tuple(found)


def _growth(asking: Asking, newest_first: list[Row]) -> tuple[Point, ...]:
    times = {int(row["snapshot_id"]): moment(row["snapshot_time"]) for row in newest_first[::-1]}
    begun, ended = (
        {
            int(row["snapshot"]): (int(row["files"]), int(row["size"]))
            for row in asking.rows(
                f"""SELECT {end} AS snapshot, COUNT(*) AS files, SUM(file_size_bytes) AS size
                    FROM {{data_file}} WHERE {end} <= ? GROUP BY {end}"""
            )
        }
        for end in ("begin_snapshot", "end_snapshot")
    )
    return history.growth(times, begun, ended)


def _sizes(asking: Asking) -> tuple[SizeClass, ...]:
    rows = asking.rows(
        f"""SELECT place, COUNT(*) AS files, SUM(size) AS size
            FROM (SELECT {size_class("file_size_bytes")} AS place, file_size_bytes AS size
                  FROM {{data_file}} WHERE {VISIBLE}) AS f
            GROUP BY place"""
    )
    return size_classes([(int(r["place"]), int(r["files"]), int(r["size"])) for r in rows])


def _past(asking: Asking, stored: Options, now: datetime) -> Past:
    """What expiry would remove: as the option says, or else by an example of seven days.

    What a reader needs stays, and so does what a snapshot with a name needs.
    """
    # Without a value, too, nothing expires.
    chosen = stored.of_lake("expire_older_than") or None
    limit = None if chosen is None else before(now, chosen)
    until = now - timedelta(days=_KEPT_DAYS) if limit is None else limit
    since = _first_since(asking, until)
    needed = [each.snapshot for each in readers(asking.catalog, now) if not each.is_late]
    first = min([since, *needed])
    named = [each for each in named_snapshots(asking.catalog) if each < first]
    other = " AND snapshot_id <> ?" * len(named)
    unseen = " AND NOT (begin_snapshot <= ? AND end_snapshot > ?)" * len(named)
    database = asking.catalog.database
    (old,) = database.rows(
        f"SELECT COUNT(*) AS n FROM {{snapshot}} WHERE snapshot_id < ?{other}", first, *named
    )
    (gone,) = database.rows(
        "SELECT COUNT(*) AS files, SUM(file_size_bytes) AS size FROM {data_file} "
        f"WHERE end_snapshot <= ?{unseen}",
        first,
        *(each for each in named for _ in range(2)),
    )
    return Past(
        f"{_KEPT_DAYS} days" if chosen is None or limit is None else chosen,
        until,
        limit is not None,
        int(old["n"]),
        int(gone["files"]),
        int(gone["size"] or 0),
        chosen if limit is None else None,
        sum(snapshot < since for snapshot in needed),
        len(named),
    )


def _first_since(asking: Asking, time: datetime) -> int:
    """The first snapshot at or after a time; the newest when there is none. It halves the range."""
    (ends,) = asking.rows(f"SELECT MIN(snapshot_id) AS low, MAX(snapshot_id) AS high {_UP_TO}")
    low, high = int(ends["low"]), int(ends["high"])
    while low < high:
        (row,) = asking.catalog.database.rows(
            "SELECT snapshot_id, CAST(snapshot_time AS VARCHAR) AS snapshot_time FROM {snapshot} "
            "WHERE snapshot_id <= ? ORDER BY snapshot_id DESC LIMIT 1",
            (low + high) // 2,
        )
        if moment(row["snapshot_time"]) >= time:
            high = int(row["snapshot_id"])
        else:
            low = (low + high) // 2 + 1
    (row,) = asking.catalog.database.rows(
        "SELECT MIN(snapshot_id) AS first FROM {snapshot} WHERE snapshot_id >= ?", low
    )
    return int(row["first"])


def _scheduled(asking: Asking, stored: Options, now: datetime) -> Scheduled:
    """The files that `cleanup_old_files` knows, and how many of them it would delete today."""
    text = "CAST(schedule_start AS VARCHAR)"
    rows = asking.rows(
        f"""SELECT {text} AS since, path_is_relative AS is_own, COUNT(*) AS files
            FROM {{files_scheduled_for_deletion}} GROUP BY {text}, path_is_relative"""
    )
    own = [row for row in rows if row["is_own"]]
    chosen = stored.of_lake("delete_older_than")
    age = _DELETED_AFTER if chosen is None else chosen
    times = [(moment(row["since"]), int(row["files"])) for row in own]
    limit = before(now, age)
    return Scheduled(
        files=sum(files for _, files in times),
        since=min((time for time, _ in times), default=None),
        due=None if limit is None else sum(files for time, files in times if time < limit),
        age=age,
        outside=sum(int(row["files"]) for row in rows) - sum(files for _, files in times),
    )
