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
from support.lines import PARTIAL_INSERT, PLAIN_VIEWS, before, since
from support.othersession import ask_other_session
from support.peer import Peer, committed_by_peers, made
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
    asked = {
        "reading": reading(examples),
        "partial": partial(lakes),
        "place": place(lakes, folder),
        "rows": rows(lakes),
    }
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
    "SHOW TABLES IN {lake}.s",
)
OF_VIEW = "SELECT count(*) FROM {lake}.main.rich"
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
                *({"sql": sql.format(lake=kind)} for sql in (OF_VIEW, *READING)),
                *({"table": f"{kind}.{table}", "options": by} for table, by in BY_OPTION),
            )
        ],
    )


def answers_of_reading(subjects: Mapping[str, Subject], kind: CatalogKind) -> Sequence[Any]:
    """What the example on this kind of database answered, a view first."""
    count = 1 + len(READING) + len(BY_OPTION)
    start = CATALOG_KINDS.index(kind) * count
    return subjects["reading"].answers[start : start + count]


@since(PLAIN_VIEWS)
@pytest.mark.parametrize("kind", CATALOG_KINDS)
def test_views_are_read(subjects: Mapping[str, Subject], kind: CatalogKind) -> None:
    assert answers_of_reading(subjects, kind)[0] == [["2"]]


@before(PLAIN_VIEWS)
@pytest.mark.parametrize("kind", CATALOG_KINDS)
def test_views_need_the_extension(subjects: Mapping[str, Subject], kind: CatalogKind) -> None:
    refusal = answers_of_reading(subjects, kind)[0]

    assert refusal["condition"] == "DUCKLAKE_UNSUPPORTED"
    assert "DuckLakeExtensions" in refusal["message"]


@pytest.mark.parametrize("kind", CATALOG_KINDS)
def test_all_reading_works_without_the_extension(
    subjects: Mapping[str, Subject], kind: CatalogKind
) -> None:
    """Options that Spark shows late are obeyed while the columns are today's, or refused."""
    _, *read, by_spark, same, by_id, changed = answers_of_reading(subjects, kind)

    assert read == [[["92", "102"]], [["103"]], [["13"]], [["13"]], [["s", "events", "False"]]]
    assert len(by_spark) == 103
    assert (same, by_id) == ([], [])
    assert "versionAsOf" in changed["message"]


def partial(lakes: LakeFactory) -> Subject:
    """INSERT that leaves out a column with a default."""
    lake = lakes.new("sqlite")
    made(lake, "CREATE TABLE t (a INT, b INT DEFAULT 7)")
    inserts = (
        "INSERT INTO partial.t (a) VALUES (1)",
        "INSERT INTO partial.t BY NAME SELECT 2 AS a",
    )
    questions = [{"sql": sql} for sql in (*inserts, "SELECT * FROM partial.t ORDER BY a")]
    return Subject(lake.spark_settings("partial"), questions, lakes=[lake])


@since(PARTIAL_INSERT)
def test_spark_fills_columns(subjects: Mapping[str, Subject]) -> None:
    assert list(subjects["partial"].answers) == [[], [], [["1", "7"], ["2", "7"]]]


@before(PARTIAL_INSERT)
def test_without_the_extension_no_columns_are_filled(subjects: Mapping[str, Subject]) -> None:
    *inserts, left = subjects["partial"].answers

    conditions = {answer["condition"] for answer in inserts}
    assert conditions == {"INCOMPATIBLE_DATA_FOR_TABLE.CANNOT_FIND_DATA"}
    assert left == []


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
    new = {f"{kind}_rows": lakes.new(kind) for kind in CODEGEN}
    expected: list[list[list[str]]] = []
    questions: list[dict[str, Any]] = []
    for name, lake in new.items():
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
    named = ChainMap(*(lake.spark_settings(name) for name, lake in new.items()))
    return Subject(named, questions, expected=expected, lakes=list(new.values()))


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
