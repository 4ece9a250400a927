"""A session without the extension, whose executors are processes of their own.

One Spark answers for all tests of the file: its start takes longer than what they ask.
"""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from support.catalogdb import execute
from support.invariants import Scope, check
from support.lakes import CATALOG_KINDS, CatalogKind, Lake, LakeFactory
from support.othersession import ask_other_session
from support.peer import Peer, committed_by_peers
from support.session import SESSION_SETTINGS, jars


@dataclass(frozen=True)
class Subject:
    """What a test asks.

    Attributes:
        settings: register its lakes.
        questions: as `ask_other_session` takes them.
        answers: none until the session was there.
        expected: what they must be, where that is known before.
        lakes: those that must be in order afterwards.
    """

    settings: Mapping[str, str]
    questions: Sequence[Mapping[str, Any]]
    answers: Sequence[Any] = ()
    expected: Sequence[Any] = ()
    lakes: Sequence[Lake] = ()


CLUSTER = {"spark.master": "local-cluster[2,1,1024]"}


@pytest.fixture(scope="module")
def subjects(
    lakes: LakeFactory,
    examples: Callable[[CatalogKind], Lake],
    tmp_path_factory: pytest.TempPathFactory,
) -> Mapping[str, Subject]:
    """All that is asked here, with the answers of one session without the extension."""
    folder = tmp_path_factory.mktemp("driver")
    # That of rows comes last, as it changes the session.
    asked = {"reading": reading(examples), "place": place(lakes, folder), "rows": rows(lakes)}
    basic = {k: v for k, v in SESSION_SETTINGS.items() if k != "spark.sql.extensions"}
    named = [dict(subject.settings) for subject in asked.values()]
    answers = iter(
        ask_other_session(
            ChainMap(*named, CLUSTER, {"spark.jars": jars()}, basic),
            [question for subject in asked.values() for question in subject.questions],
            folder,
        )
    )
    return {
        name: replace(subject, answers=[next(answers) for _ in subject.questions])
        for name, subject in asked.items()
    }


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


def reading(examples: Callable[[CatalogKind], Lake]) -> Subject:
    """Queries of the example on each kind of catalog database."""
    return Subject(
        ChainMap(*(examples(kind).spark_settings(kind) for kind in CATALOG_KINDS)),
        [
            question
            for kind in CATALOG_KINDS
            for question in (
                *({"sql": sql.format(lake=kind)} for sql in READING),
                *({"table": f"{kind}.{table}", "options": by} for table, by in BY_OPTION),
            )
        ],
    )


@pytest.mark.parametrize("kind", CATALOG_KINDS)
def test_all_reading_works_without_the_extension(
    subjects: Mapping[str, Subject], kind: CatalogKind
) -> None:
    """Options that Spark shows late are obeyed while the columns are today's, or refused."""
    count = len(READING) + len(BY_OPTION)
    start = CATALOG_KINDS.index(kind) * count

    *read, by_spark, same, by_id, changed = subjects["reading"].answers[start : start + count]

    assert read == [
        [["92", "102"]], [["103"]], [["13"]], [["13"]], [["2"]], [["s", "events", "False"]],
    ]  # fmt: skip
    assert len(by_spark) == 103
    assert (same, by_id) == ([], [])
    assert "versionAsOf" in changed["message"]


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


def rows(lakes: LakeFactory) -> Subject:
    """Sums over rows that were deleted, added and changed, and a join by row ids."""
    made = {f"{kind}_rows": lakes.new(kind) for kind in CODEGEN}
    expected: list[list[list[str]]] = []
    questions: list[dict[str, Any]] = []
    for name, lake in made.items():
        with Peer(lake) as peer:
            peer.run(*ROWS)
            sums = peer.rows(f"SELECT {SUMS}, sum(l[1]) FROM t")
            pairs = peer.rows(JOINED.format(t="t"))
        chosen = ["spark.sql.codegen.wholeStage", CODEGEN[lake.kind]]
        expected += [[chosen], *([[str(value) for value in row]] for (row,) in (sums, pairs))]
        questions += [
            {"sql": f"SET {'='.join(chosen)}"},
            {"sql": f"SELECT {SUMS}, sum(l[0]) FROM {name}.t"},
            {"sql": JOINED.format(t=f"{name}.t")},
        ]
    named = ChainMap(*(lake.spark_settings(name) for name, lake in made.items()))
    return Subject(named, questions, expected=expected, lakes=list(made.values()))


def test_executors_in_other_processes_read_the_lake(subjects: Mapping[str, Subject]) -> None:
    asked = subjects["rows"]

    assert list(asked.answers) == list(asked.expected)
    for lake in asked.lakes:
        assert check(lake, Scope(frozenset(committed_by_peers[lake.uri]))) == []


AT_THE_DRIVER = (
    "INSERT INTO lake.t SELECT id FROM range(100, 1000)",
    "DELETE FROM lake.t WHERE i % 2 = 0",
    "CALL lake.system.merge_adjacent_files('t')",
    "CALL lake.system.cleanup_old_files(cleanup_all => true)",
    "CALL lake.system.delete_orphaned_files(cleanup_all => true)",
    "SELECT count(*), sum(i) FROM lake.t",
)


def place(lakes: LakeFactory, folder: Path) -> Subject:
    """A lake whose data path is relative, with a file that is scheduled and one that is no one's.

    Args:
        lakes: makes it.
        folder: the working directory of the driver.
    """
    lake = replace(lakes.new("sqlite"), data_path=folder / "data")
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
    return Subject(
        lake.spark_settings("lake"),
        [{"sql": sql} for sql in AT_THE_DRIVER],
        expected=[[[str(orphan)]], [["500", "250000"]]],
        lakes=[lake],
    )


def test_a_relative_data_path_is_that_of_the_driver(subjects: Mapping[str, Subject]) -> None:
    """Executors run elsewhere. What is not there counts as deleted, so they must not look there."""
    asked = subjects["place"]
    (lake,) = asked.lakes

    assert list(asked.answers[-2:]) == list(asked.expected)
    ((orphan,),) = asked.expected[0]
    assert not list((lake.data_path / "main").glob("gone/*"))
    assert not Path(orphan).exists()
    execute(
        lake, f"UPDATE ducklake_metadata SET value = '{lake.data_path}/' WHERE key = 'data_path'"
    )
    with Peer(lake) as peer:
        assert peer.rows("SELECT count(*), sum(i) FROM t") == [(500, 250000)]
