"""Cases of MERGE as data, and lakes on which each of them is played and judged."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, get_args

import duckdb
import pytest
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from support.invariants import Scope, check
from support.lakes import CATALOG_KINDS, IN_FILES, CatalogKind, Lake, LakeFactory
from support.lines import Feature, since
from support.peer import Peer, committed_by_peers

Row = tuple[Any, ...]
Layout = Literal["files", "default"]
LAYOUTS: tuple[Layout, ...] = get_args(Layout)
"""All rows in files, or as the default of ten inlined rows lays them."""

NEW = None
"""In the place of a row id: a row that was not there before."""

PLAIN = (
    "CREATE TABLE t (id INT, name VARCHAR, n INT)",
    "INSERT INTO t VALUES (1, 'one', 10), (2, 'two', 20), (3, 'three', 30), (NULL, 'none', 0)",
    "CREATE TABLE s (id INT, name VARCHAR, n INT)",
    "INSERT INTO s VALUES"
    " (2, 'deux', 200), (3, 'trois', 300), (4, 'quatre', 400), (NULL, 'nul', 0)",
)
"""Target `t` and source `s`; the rows of `t` have the row ids 0 to 3."""

ONE: Row = (0, 1, "one", 10)
TWO: Row = (1, 2, "two", 20)
THREE: Row = (2, 3, "three", 30)
NONE: Row = (3, None, "none", 0)
"""The rows of PLAIN's target."""


@dataclass(frozen=True)
class MergeCase:
    """A MERGE and what it must leave.

    `setup` are DuckDB's statements that make `t` and what the MERGE needs. `merge` names the
    target `{t}`, the source `{s}`, other tables of the setup `{case}.name`, and the snapshot that
    filled the first ones `{filled}`. `left` are the rows afterwards as `query` gives them, each
    with its row id first; None is as before, and `error` is then what Spark's message must hold.
    `snapshots`: how many it makes. `oracle`: DuckDB means the same by these words. `needs`: what
    only newer versions of Spark have.
    """

    name: str
    merge: str
    left: Sequence[Row] | None = None
    setup: tuple[str, ...] = PLAIN
    query: str = "SELECT rowid, * FROM {t}"
    error: str = ""
    oracle: bool = True
    snapshots: int = 1
    layouts: tuple[Layout, ...] = LAYOUTS
    needs: Feature | None = None


def params(cases: Sequence[MergeCase]) -> dict[str, Any]:
    """What parametrises a test by place in `cases` and layout."""
    pairs = [(number, layout) for number, case in enumerate(cases) for layout in case.layouts]
    names = [f"{cases[number].name}, {layout}" for number, layout in pairs]
    marked = [pytest.param(*pair, marks=_marks(cases[pair[0]])) for pair in pairs]
    return {"argvalues": marked, "ids": names}


def _marks(case: MergeCase) -> list[pytest.MarkDecorator]:
    return [since(case.needs)] if case.needs else []


@dataclass
class Scene:
    """A lake in which each case has a schema of its own; `head` is its newest snapshot."""

    lake: Lake
    catalog: str
    layout: Layout
    head: int = 0
    filled: dict[int, int] = field(default_factory=dict)
    last: dict[int, int] = field(default_factory=dict)
    before: dict[int, list[Row]] = field(default_factory=dict)
    files: dict[int, set[Path]] = field(default_factory=dict)

    def set_up(self, cases: Mapping[int, MergeCase]) -> None:
        """Makes the tables of the cases, the first filled in a snapshot that is remembered."""
        options = ["DATA_INLINING_ROW_LIMIT 0"] if self.layout == "files" else []
        with Peer(self.lake, *options) as peer:
            for number, case in cases.items():
                peer.run("BEGIN", f"CREATE SCHEMA case_{number}", f"USE lake.case_{number}")
                shared = len(PLAIN) if case.setup[: len(PLAIN)] == PLAIN else 2
                peer.run(*case.setup[:shared], "COMMIT")
                self.filled[number] = peer.head()
                peer.run(*case.setup[shared:])
                self.last[number] = peer.value("SELECT coalesce(max(rowid), -1) FROM t")
                if case.left is None:
                    self.before[number] = _sorted(peer.rows(case.query.format(t="t")))
                self.files[number] = self.files_of(number)
            self.head = peer.head()

    def statement(self, number: int, text: str) -> str:
        """A statement of a case in Spark's names."""
        schema = f"{self.catalog}.case_{number}"
        names = {"t": f"{schema}.t", "s": f"{schema}.s", "case": schema}
        return text.format(**names, filled=self.filled[number])

    def files_of(self, number: int) -> set[Path]:
        """The files of a case."""
        return set((self.lake.data_path / f"case_{number}").rglob("*.parquet"))

    def rows(self, spark: SparkSession, number: int, query: str) -> tuple[list[Row], int]:
        """The rows of the target, in which both engines must agree; the snapshots since."""
        with Peer(self.lake) as peer:
            peer.run(f"USE lake.case_{number}")
            theirs = _sorted(peer.rows(query.format(t="t")))
            head = peer.head()
        ours = spark.sql(self.statement(number, query)).collect()
        assert _sorted(tuple(row) for row in ours) == theirs
        made, self.head = head - self.head, head
        return theirs, made


@dataclass
class Stage:
    """The lakes of some cases: one for each kind of catalog database and layout.

    `played` are the places of the cases that a run plays, each with its layout.
    """

    spark: SparkSession
    lakes: LakeFactory
    name: str
    cases: Sequence[MergeCase]
    played: Collection[tuple[int, Layout]]
    scenes: dict[tuple[CatalogKind, Layout], Scene] = field(default_factory=dict)

    def play(self, number: int, layout: Layout) -> None:
        """Runs a case and judges what it leaves."""
        case, scene = self.cases[number], self._scene(kind_of(number, layout), layout)
        statement = scene.statement(number, case.merge)
        if case.left is None:
            with pytest.raises(PySparkException, match=case.error):
                self.spark.sql(statement)
            assert scene.rows(self.spark, number, case.query) == (scene.before[number], 0)
            assert scene.files_of(number) == scene.files[number]
            return
        self.spark.sql(statement)
        rows, made = scene.rows(self.spark, number, case.query)
        assert _with_new(rows, scene.last[number]) == _sorted(case.left), rows
        assert made == case.snapshots, made

    def complaints(self) -> list[str]:
        """What is wrong with the lakes."""
        return [
            complaint
            for scene in self.scenes.values()
            for complaint in check(scene.lake, Scope(frozenset(committed_by_peers[scene.lake.uri])))
        ]

    def _scene(self, kind: CatalogKind, layout: Layout) -> Scene:
        if (kind, layout) not in self.scenes:
            lake, catalog = self.lakes.new(kind), f"{self.name}_{kind}_{layout}"
            for key, value in lake.spark_settings(catalog, registration(layout)).items():
                self.spark.conf.set(key, value)
            scene = self.scenes[kind, layout] = Scene(lake, catalog, layout)
            scene.set_up(
                {
                    number: case
                    for number, case in enumerate(self.cases)
                    if (number, layout) in self.played and kind_of(number, layout) == kind
                }
            )
        return self.scenes[kind, layout]


def registration(layout: Layout) -> Mapping[str, str]:
    """Options with which Spark keeps to a layout."""
    return IN_FILES if layout == "files" else {}


def kind_of(number: int, layout: Layout) -> CatalogKind:
    """The database that a case meets: another one for the other layout and for the next case."""
    return CATALOG_KINDS[(number + LAYOUTS.index(layout)) % len(CATALOG_KINDS)]


def in_duckdb(case: MergeCase) -> list[Row]:
    """What DuckDB's own MERGE leaves of a table of its own, without row ids."""
    with duckdb.connect() as connection:
        for statement in (*case.setup, case.merge.format(t="t", s="s", case="main")):
            if "SET PARTITIONED BY" not in statement:
                connection.execute(statement)
        rows = connection.execute(case.query.format(t="t")).fetchall()
    return _sorted(row[1:] for row in rows)


def values(case: MergeCase) -> list[Row]:
    """The rows that a case must leave, without row ids."""
    return _sorted(row[1:] for row in case.left or ())


def _with_new(rows: Sequence[Row], last: int) -> list[Row]:
    """The rows with NEW in the place of each row id beyond the last one before."""
    assert len({row[0] for row in rows}) == len(rows)
    return _sorted((row[0] if row[0] <= last else NEW, *row[1:]) for row in rows)


def _sorted(rows: Iterable[Row]) -> list[Row]:
    return sorted(rows, key=repr)
