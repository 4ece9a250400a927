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


READING: list[dict[str, Any]] = [
    {"sql": "SELECT count(*), max(rowid) FROM lake.events"},
    {"sql": "SELECT count(*) FROM lake.events VERSION AS OF 5"},
    {"sql": "CALL lake.system.current_snapshot()"},
    {"sql": "SELECT id FROM lake.system.current_snapshot"},
    {"sql": "SELECT count(*) FROM lake.main.rich"},
    {"sql": "SHOW TABLES IN lake.s"},
]
BY_OPTION: list[dict[str, Any]] = [
    {"table": "lake.events", "options": {"versionAsOf": "5"}},
    {"table": "lake.s.events", "options": {"snapshot-version": "11"}},
    {"table": "lake.s.events", "options": {"snapshot-id": "11"}},
    {"table": "lake.events", "options": {"snapshot-version": "5"}},
]


def test_all_reading_works_without_the_extension(example: Lake, tmp_path: Path) -> None:
    """Options that Spark shows late are obeyed while the columns are today's, or refused."""
    answers = ask_other_session(settings(example), [*READING, *BY_OPTION], tmp_path)

    assert answers[: len(READING)] == [
        [["92", "102"]], [["103"]], [["13"]], [["13"]], [["2"]], [["s", "events", "False"]],
    ]  # fmt: skip
    by_spark, same, by_id, changed = answers[len(READING) :]
    assert len(by_spark) == 103
    assert (same, by_id) == ([], [])
    assert "versionAsOf" in changed["message"]


@pytest.mark.parametrize(
    ("kind", "codegen"), [("sqlite", "true"), ("postgres", "false")], indirect=["kind"]
)
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
        pairs = peer.value("SELECT count(*) FROM t x JOIN t y ON x.a = y.rowid")
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
    assert joined == [[str(pairs)]]
