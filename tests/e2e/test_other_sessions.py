"""Sessions without the extension, and on executors in processes of their own."""

from __future__ import annotations

import itertools
from collections import ChainMap
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from support.catalogdb import execute
from support.invariants import Scope, check
from support.lakes import CATALOG_KINDS, CatalogKind, Lake, LakeFactory
from support.othersession import ask_other_session
from support.peer import Peer, committed_by_peers
from support.session import SESSION_SETTINGS, jars


def settings(*others: Mapping[str, str]) -> dict[str, str]:
    """A session without the extension, and with the given Spark settings."""
    basic = {k: v for k, v in SESSION_SETTINGS.items() if k != "spark.sql.extensions"}
    return dict(ChainMap(*map(dict, others), {"spark.jars": jars()}, basic))


READING = (
    "SELECT count(*), max(rowid) FROM {lake}.events",
    "SELECT count(*) FROM {lake}.events VERSION AS OF 5",
    "CALL {lake}.system.current_snapshot()",
    "SELECT id FROM {lake}.system.current_snapshot",
    "SELECT count(*) FROM {lake}.main.rich",
    "SHOW TABLES IN {lake}.s",
)
BY_OPTION = (
    ("events", {"versionAsOf": "5"}),
    ("s.events", {"snapshot-version": "11"}),
    ("s.events", {"snapshot-id": "11"}),
    ("events", {"snapshot-version": "5"}),
)


def test_all_reading_works_without_the_extension(
    examples: Callable[[CatalogKind], Lake], tmp_path: Path
) -> None:
    """Options that Spark shows late are obeyed while the columns are today's, or refused."""
    named = [examples(kind).spark_settings(kind) for kind in CATALOG_KINDS]
    asked = [
        [{"sql": sql.format(lake=kind)} for sql in READING]
        + [{"table": f"{kind}.{table}", "options": options} for table, options in BY_OPTION]
        for kind in CATALOG_KINDS
    ]

    answers = iter(ask_other_session(settings(*named), list(itertools.chain(*asked)), tmp_path))

    for questions in asked:
        *read, by_spark, same, by_id, changed = itertools.islice(answers, len(questions))
        assert read == [
            [["92", "102"]], [["103"]], [["13"]], [["13"]], [["2"]], [["s", "events", "False"]],
        ]  # fmt: skip
        assert len(by_spark) == 103
        assert (same, by_id) == ([], [])
        assert "versionAsOf" in changed["message"]
    assert next(answers, None) is None


ROWS = (
    "CREATE TABLE t AS SELECT i AS a, i % 7 AS k, [i] AS l FROM range(100000) AS r(i)",
    "DELETE FROM t WHERE a % 3 = 0",
    "INSERT INTO t VALUES (-1, -1, [5])",
    "ALTER TABLE t ADD COLUMN b VARCHAR DEFAULT 'x'",
    "UPDATE t SET k = 100 WHERE a = 1",
)
SUMS = "count(*), sum(a), sum(k), min(b), max(rowid), max(snapshot_id)"
JOINED = "SELECT count(*) FROM {t} x JOIN {t} y ON x.a = y.rowid"
CODEGEN: dict[CatalogKind, str] = {"sqlite": "true", "postgres": "false"}
"""Whether Spark compiles the queries of a lake on this kind of database."""


def test_executors_in_other_processes_read_the_lake(lakes: LakeFactory, tmp_path: Path) -> None:
    made = {kind: lakes.new(kind) for kind in CODEGEN}
    expected: list[list[list[str]]] = []
    questions: list[dict[str, Any]] = []
    for kind, lake in made.items():
        with Peer(lake) as peer:
            peer.run(*ROWS)
            sums = peer.rows(f"SELECT {SUMS}, sum(l[1]) FROM t")
            pairs = peer.rows(JOINED.format(t="t"))
        chosen = ["spark.sql.codegen.wholeStage", CODEGEN[kind]]
        expected += [[chosen], *([[str(value) for value in row]] for (row,) in (sums, pairs))]
        questions += [
            {"sql": f"SET {'='.join(chosen)}"},
            {"sql": f"SELECT {SUMS}, sum(l[0]) FROM {kind}.t"},
            {"sql": JOINED.format(t=f"{kind}.t")},
        ]
    named = [lake.spark_settings(kind) for kind, lake in made.items()]
    cluster = {"spark.master": "local-cluster[2,1,1024]"}

    answers = ask_other_session(settings(*named, cluster), questions, tmp_path)

    assert answers == expected
    for lake in made.values():
        assert check(lake, Scope(frozenset(committed_by_peers[lake.uri]))) == []


def test_a_relative_data_path_is_that_of_the_driver(lakes: LakeFactory, tmp_path: Path) -> None:
    """Executors run elsewhere. What is not there counts as deleted, so they must not look there."""
    lake = replace(lakes.new("sqlite"), data_path=tmp_path / "data")
    with Peer(lake) as peer:
        peer.run(
            "CREATE TABLE gone AS SELECT i FROM range(100) r(i)",
            "DROP TABLE gone",
            "CREATE TABLE t AS SELECT i FROM range(100) r(i)",
            "CALL ducklake_expire_snapshots('lake', versions => [1, 2])",
        )
    execute(lake, "UPDATE ducklake_metadata SET value = 'data/' WHERE key = 'data_path'")
    (gone,) = (lake.data_path / "main" / "gone").iterdir()
    orphan = lake.data_path / "main" / "t" / gone.name
    orphan.write_text("nothing")
    cluster = {"spark.master": "local-cluster[1,1,1024]"}
    questions = [
        "INSERT INTO lake.t SELECT id FROM range(100, 1000)",
        "DELETE FROM lake.t WHERE i % 2 = 0",
        "CALL lake.system.merge_adjacent_files('t')",
        "CALL lake.system.cleanup_old_files(cleanup_all => true)",
        "CALL lake.system.delete_orphaned_files(cleanup_all => true)",
        "SELECT count(*), sum(i) FROM lake.t",
    ]

    answers = ask_other_session(
        settings(lake.spark_settings("lake"), cluster),
        [{"sql": sql} for sql in questions],
        tmp_path,
    )

    assert not gone.exists()
    assert answers[-2:] == [[[str(orphan)]], [["500", "250000"]]]
    assert not orphan.exists()
    execute(
        lake, f"UPDATE ducklake_metadata SET value = '{lake.data_path}/' WHERE key = 'data_path'"
    )
    with Peer(lake) as peer:
        assert peer.rows("SELECT count(*), sum(i) FROM t") == [(500, 250000)]
