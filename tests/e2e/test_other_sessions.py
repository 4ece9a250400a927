"""Sessions without the extension, and on executors in processes of their own."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from support.lakes import Lake
from support.othersession import ask_other_session
from support.peer import Peer
from support.session import SESSION_SETTINGS, jars


def settings(lake: Lake, **others: str) -> dict[str, str]:
    """A session with the lake as `lake`, no extension, and the given Spark settings."""
    basic = {k: v for k, v in SESSION_SETTINGS.items() if k != "spark.sql.extensions"}
    named = {key.replace("__", "."): text for key, text in others.items()}
    return {**basic, "spark.jars": jars(), **lake.spark_settings("lake"), **named}


def test_all_reading_works_without_the_extension(example: Lake, tmp_path: Path) -> None:
    questions: list[dict[str, Any]] = [
        {"sql": "SELECT count(*), max(rowid) FROM lake.events"},
        {"sql": "SELECT count(*) FROM lake.events VERSION AS OF 5"},
        {"table": "lake.events", "options": {"versionAsOf": "5"}},
        {"sql": "CALL lake.system.current_snapshot()"},
        {"sql": "SELECT id FROM lake.system.current_snapshot"},
        {"sql": "SELECT count(*) FROM lake.main.rich"},
        {"sql": "SHOW TABLES IN lake.s"},
    ]

    answers = ask_other_session(settings(example), questions, tmp_path)

    assert len(answers[2]) == 103
    del answers[2]
    assert answers == [
        [["92", "102"]], [["103"]], [["13"]], [["13"]], [["2"]], [["s", "events", "False"]],
    ]  # fmt: skip


def test_options_that_spark_shows_late_are_obeyed_or_refused(lake: Lake, tmp_path: Path) -> None:
    with Peer(lake) as peer:
        peer.run(
            "CREATE TABLE same AS SELECT 1 AS a",
            "INSERT INTO same VALUES (2)",
            "CREATE TABLE changed AS SELECT 1 AS a",
            "ALTER TABLE changed ADD COLUMN b INTEGER",
        )
    questions: list[dict[str, Any]] = [
        {"table": "lake.same", "options": {"snapshot-version": "1"}},
        {"table": "lake.same", "options": {"snapshot-id": "1"}},
        {"table": "lake.changed", "options": {"snapshot-version": "3"}},
        {"table": "lake.changed", "options": {"versionAsOf": "3"}},
    ]

    same, by_id, changed, by_spark = ask_other_session(settings(lake), questions, tmp_path)

    assert (same, by_id, by_spark) == ([["1"]], [["1"]], [["1"]])
    assert "versionAsOf" in changed["message"]


@pytest.mark.parametrize("codegen", ["true", "false"])
def test_executors_in_other_processes_read_the_lake(
    lake: Lake, tmp_path: Path, codegen: str
) -> None:
    with Peer(lake) as peer:
        peer.run(
            "CREATE TABLE t AS SELECT i AS a, i % 7 AS k, [i] AS l FROM range(100000) AS r(i)",
            "DELETE FROM t WHERE a % 3 = 0",
            "INSERT INTO t VALUES (-1, -1, [5])",
            "ALTER TABLE t ADD COLUMN b VARCHAR DEFAULT 'x'",
            "UPDATE t SET k = 100 WHERE a = 1",
        )
        sums = "count(*), sum(a), sum(k), min(b), max(rowid), max(snapshot_id)"
        expected = peer.rows(f"SELECT {sums}, sum(l[1]) FROM t")
    cluster = settings(
        lake,
        spark__master="local-cluster[2,1,1024]",
        spark__sql__codegen__wholeStage=codegen,
    )

    whole, joined = ask_other_session(
        cluster,
        [
            {"sql": f"SELECT {sums}, sum(l[0]) FROM lake.t"},
            {"sql": "SELECT count(*) FROM lake.t x JOIN lake.t y ON x.a = y.rowid"},
        ],
        tmp_path,
    )

    assert whole == [[str(value) for value in expected[0]]]
    assert joined[0][0].isdigit()
