"""Cases of broken catalogs: each a copy of the sample, damaged, asked a few things and judged."""

from __future__ import annotations

import random
import shutil
import sqlite3
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyspark.sql import SparkSession

from support.canonical import Value
from support.compare import arrow_columns, recorded_rows
from support.expected import Column
from support.fuzz.breaking import broken
from support.fuzz.judge import Judge
from support.fuzz.outcome import Failure, ended
from support.fuzz.questions import READS, ROWS, WRITES
from support.fuzz.sample import copied
from support.lakes import Lake
from support.session import INTERPRETED

_SLOW_SECONDS = 30
_CASES_PER_SESSION = 200
_IN_PARTS = {"DUCKLAKE_MAINTENANCE_INCOMPLETE", "DUCKLAKE_FLUSH_INCOMPLETE"}
"""Errors of calls whose finished parts stay."""


class BrokenCatalogs:
    """Runs cases by their numbers; the same number is the same case.

    `counted` has how many statements ended in which way.
    """

    def __init__(self, spark: SparkSession, sample: Lake, folder: Path, judge: Judge) -> None:
        """Asks the whole sample, whose answers are right for each case.

        Args:
            spark: a session that runs; cases get sessions beside it.
            sample: what `make_sample` made.
            folder: an empty one, on a fast disk.
            judge: DuckDB.
        """
        self._spark = spark
        self._session = self._new_session()
        self._sample, self._folder, self._judge = sample, folder, judge
        self.counted: Counter[str] = Counter()
        self._columns: dict[str, list[Column]] = {}
        self._right: dict[str, list[Value]] = {}
        with self._case("whole") as (lake, catalog):
            for name, question in ROWS.items():
                answer = judge.rows(lake, question)
                assert not isinstance(answer, str), answer
                self._columns[name] = [Column(*each) for each in answer[0]]
                self._right[name] = sorted(recorded_rows(self._columns[name], answer[1]), key=repr)
                read = ended(self._session, question.format(c=catalog))
                assert isinstance(read, pa.Table), read
                assert _values(read, self._columns[name]) == self._right[name], name
            for statement in READS:
                read = ended(self._session, statement.format(c=catalog))
                assert isinstance(read, pa.Table), (statement, read)

    def faults(self, case: int) -> list[str]:
        """Everything that went wrong in a case; each with what was done and asked."""
        if case % _CASES_PER_SESSION == 0:
            self._session = self._new_session()
        with self._case(f"case{case}") as (lake, catalog):
            damages = broken(lake.database, str(case))
            chance = random.Random(f"{case} asked")
            found = [*self._of_rows(lake, catalog, chance.sample([*ROWS], 3))]
            found += self._of_reads(lake, catalog, chance.sample(READS, 3))
            if not any(damage.leads_elsewhere for damage in damages):
                found += self._of_writes(lake, catalog, chance.sample(WRITES, 1))
        self.counted["cases"] += 1
        done = "; ".join(map(str, damages))
        return [f"case {case}: {fault}\n  after {done}" for fault in found]

    def _new_session(self) -> SparkSession:
        """A session without the catalogs of earlier cases, which a session keeps."""
        session = self._spark.newSession()
        for key, value in INTERPRETED.items():
            session.conf.set(key, value)
        return session

    def _case(self, name: str) -> _Registered:
        return _Registered(self._session, self._sample, self._folder / name)

    def _of_rows(self, lake: Lake, catalog: str, names: Sequence[str]) -> Iterator[str]:
        for name in names:
            answer, faults = self._asked(ROWS[name], catalog)
            yield from faults
            if isinstance(answer, pa.Table) and not self._is_right(name, answer):
                yield from self._judged(lake, ROWS[name], answer)

    def _is_right(self, name: str, answer: pa.Table) -> bool:
        columns = self._columns[name]
        if answer.num_columns != len(columns):
            return False
        try:
            return _values(answer, columns) == self._right[name]
        except (TypeError, ValueError, AttributeError, pa.ArrowInvalid):
            return False  # A column has another type now.

    def _judged(self, lake: Lake, question: str, answer: pa.Table) -> Iterator[str]:
        told = self._judge.rows(lake, question)
        if isinstance(told, str):
            self.counted["other rows of a lake that DuckDB refuses"] += 1
            return
        columns = [Column(*each) for each in told[0]]
        wanted = sorted(recorded_rows(columns, told[1]), key=repr)
        names = [column.name for column in columns]
        mine = _values(answer, columns) if answer.column_names == names else answer.column_names
        if mine != wanted:
            yield f"{question}: {str(mine)[:300]}, not {str(wanted)[:300]}"
        self.counted["other rows, DuckDB's too"] += 1

    def _of_reads(self, lake: Lake, catalog: str, statements: Sequence[str]) -> Iterator[str]:
        before = _files(lake), Path(lake.database).read_bytes()
        for statement in statements:
            yield from self._asked(statement, catalog)[1]
        if (_files(lake), Path(lake.database).read_bytes()) != before:
            yield f"one of {statements} changed the lake"

    def _of_writes(self, lake: Lake, catalog: str, statements: Sequence[str]) -> Iterator[str]:
        for statement in statements:
            before = _files(lake), _content(lake)
            answer, faults = self._asked(statement, catalog)
            yield from faults
            is_whole = isinstance(answer, Failure) and answer.condition not in _IN_PARTS
            if is_whole and (_files(lake), _content(lake)) != before:
                yield f"{statement} failed and changed the lake: {answer}"

    def _asked(self, statement: str, catalog: str) -> tuple[object, list[str]]:
        began = time.monotonic()
        answer = ended(self._session, statement.format(c=catalog))
        seconds = time.monotonic() - began
        faults = [f"{statement}: {seconds:.0f} seconds"] if seconds > _SLOW_SECONDS else []
        if isinstance(answer, Failure):
            self.counted[answer.condition or "no condition"] += 1
            if answer.fault:
                faults.append(f"{statement}: {answer.fault}: {answer.message[:600]}")
        else:
            self.counted["answered"] += 1
        return answer, faults


class _Registered:
    """A copy of the sample under a name of its own, which is gone at the end."""

    def __init__(self, session: SparkSession, sample: Lake, folder: Path) -> None:
        self._session, self._folder = session, folder
        folder.mkdir()
        self._lake = copied(sample, folder)

    def __enter__(self) -> tuple[Lake, str]:
        self._settings = self._lake.spark_settings(self._folder.name)
        for key, value in self._settings.items():
            self._session.conf.set(key, value)
        return self._lake, self._folder.name

    def __exit__(self, *_: object) -> None:
        for key in self._settings:
            self._session.conf.unset(key)
        shutil.rmtree(self._folder)


def _values(table: pa.Table, columns: Sequence[Column]) -> list[Value]:
    return sorted(zip(*arrow_columns(table, columns), strict=True), key=repr)


def _files(lake: Lake) -> list[tuple[str, int]]:
    """The files below the data path, without Hadoop's checksums."""
    files = (path for path in lake.data_path.rglob("*") if path.is_file())
    return sorted((str(path), path.stat().st_size) for path in files if path.name[0] != ".")


def _content(lake: Lake) -> dict[str, list[Any]]:
    """All rows of all tables of the catalog."""
    with closing(sqlite3.connect(lake.database)) as connection:
        connection.text_factory = bytes
        names = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
        return {
            name.decode(): connection.execute(f"SELECT rowid, * FROM {name.decode()}").fetchall()
            for (name,) in names
        }
