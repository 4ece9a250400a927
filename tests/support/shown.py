"""A lake that is worth looking at, and a browser that looks at pages."""

from __future__ import annotations

import shutil
import sqlite3
import subprocess
from contextlib import closing
from datetime import datetime, timedelta, timezone
from pathlib import Path

from support.lakes import Lake
from support.peer import Peer

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")

NOW = datetime(2026, 11, 24, 12, tzinfo=timezone.utc)
"""When reports of the lake are made."""

_AUTHORS = ("Ada", "nightly job", "Grace")
_ORDERS = """INSERT INTO sales.orders SELECT i,
  CASE WHEN i % 20 = 0 THEN 'north' WHEN i % 20 < 3 THEN 'east' ELSE 'south' END,
  i % 100, DATE '2026-01-01' + CAST(i % 30 AS INTEGER) FROM range({}) AS r(i)"""
_EVENTS = "INSERT INTO events SELECT i, 'n' || i, md5(CAST(i AS VARCHAR)) FROM range({}) AS r(i)"


def fill(lake: Lake) -> None:
    """Tables with partitions, deletes, inlined rows and odd names; three authors."""
    with Peer(lake) as peer:
        peer.run(
            "CREATE SCHEMA sales",
            "CREATE TABLE sales.orders (id BIGINT, region VARCHAR, amount DECIMAL(9, 2), day DATE)",
            "ALTER TABLE sales.orders SET PARTITIONED BY (region)",
            "CREATE TABLE events (id BIGINT, name VARCHAR, payload VARCHAR)",
            "CREATE TABLE customers AS SELECT i AS id, 'c' AS name FROM range(100) AS r(i)",
            "DELETE FROM customers WHERE id < 97",
            """CREATE TABLE "<b>bold & 'sly'" (id BIGINT)""",
        )
        for turn in range(12):
            author = _AUTHORS[turn % len(_AUTHORS)]
            peer.run("BEGIN", _ORDERS.format(3000 * (1 + turn % 5)))
            peer.run(f"CALL lake.set_commit_message('{author}', 'load {turn}')", "COMMIT")
            peer.run(_EVENTS.format(60_000 if turn % 4 == 0 else 5))
            if turn % 4 == 1:
                peer.run(f"DELETE FROM sales.orders WHERE id % 7 = {turn % 7}")
        peer.run("DELETE FROM events WHERE id BETWEEN 40000 AND 40005")


def spread(lake: Lake, days: int) -> None:
    """Give the snapshots of a lake on SQLite times of the last days, in steps of one length."""
    with closing(sqlite3.connect(lake.database)) as database:
        query = "SELECT snapshot_id FROM ducklake_snapshot ORDER BY snapshot_id"
        numbers = [number for (number,) in database.execute(query)]
        for place, number in enumerate(numbers):
            time = NOW - timedelta(days=days) * (1 - place / len(numbers))
            database.execute(
                "UPDATE ducklake_snapshot SET snapshot_time = ? WHERE snapshot_id = ?",
                (f"{time:%Y-%m-%d %H:%M:%S}+00", number),
            )
        database.execute(
            "UPDATE ducklake_files_scheduled_for_deletion SET schedule_start = ?",
            (f"{NOW - timedelta(days=3):%Y-%m-%d %H:%M:%S}+00",),
        )
        database.commit()


def browse(page: Path, *options: str) -> str:
    """What Chromium prints of a page that it opens without a network.

    Raises:
        CalledProcessError: it ends with an error.
    """
    assert CHROMIUM is not None
    command = (
        *(CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"),
        *("--host-resolver-rules=MAP * ~NOTFOUND", f"--user-data-dir={page.parent / 'browser'}"),
        *options,
        page.as_uri(),
    )
    return subprocess.run(command, capture_output=True, text=True, check=True, timeout=120).stdout
