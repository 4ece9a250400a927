"""Cases: each a copy of the sample, damaged, asked a few things and judged."""

from __future__ import annotations

import shutil
import sqlite3
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyspark.sql import SparkSession

from support.canonical import Value
from support.catalogdb import read_catalog
from support.compare import arrow_columns, recorded_rows
from support.expected import Column
from support.fuzz.judge import Judge
from support.fuzz.outcome import Failure, ended
from support.fuzz.questions import ROWS
from support.fuzz.sample import copied
from support.fuzz.watching import broken_off
from support.lakes import Lake
from support.postgres import PostgresServer
from support.session import INTERPRETED

_SLOW_SECONDS = 120
_CASES_PER_SESSION = 200


@dataclass(frozen=True)
class Ground:
    """Where cases take place.

    Attributes:
        spark: a session that runs; cases get sessions beside it.
        sample: what `make_sample` made.
        folder: an empty one, on a fast disk.
        judge: DuckDB.
        server: of lakes on PostgreSQL.
    """

    spark: SparkSession
    sample: Lake
    folder: Path
    judge: Judge
    server: PostgresServer


class Cases:
    """What the cases of broken catalogs and of broken files share.

    `counted` has how many statements ended in which way.
    """

    def __init__(self, ground: Ground) -> None:
        """Asks the whole sample, whose answers are right for each case."""
        self._spark, self._server = ground.spark, ground.server
        self._session = self._new_session()
        self._sample, self._folder, self._judge = ground.sample, ground.folder, ground.judge
        self._cases = 0
        self.counted: Counter[str] = Counter()
        self._columns: dict[str, list[Column]] = {}
        self._right: dict[str, list[Value]] = {}
        self._schemas: dict[str, pa.Schema] = {}
        with self.case("whole") as (lake, catalog):
            for name, question in ROWS.items():
                answer = ground.judge.rows(lake, question)
                assert not isinstance(answer, str), answer
                self._columns[name] = [Column(*each) for each in answer[0]]
                self._right[name] = sorted(recorded_rows(self._columns[name], answer[1]), key=repr)
                read = ended(self._session, question.format(c=catalog))
                assert isinstance(read, pa.Table), read
                self._schemas[name] = read.schema
                assert _values(read, self._columns[name]) == self._right[name], name

    def _new_session(self) -> SparkSession:
        """A session without the catalogs of earlier cases, which a session keeps."""
        session = self._spark.newSession()
        for key, value in INTERPRETED.items():
            session.conf.set(key, value)
        return session

    def case(
        self,
        name: str,
        sample: Lake | None = None,
        web: str = "",
        options: Mapping[str, str] | None = None,
    ) -> _Registered:
        """A copy of the sample, or of another lake with its rows, and its name in Spark.

        Args:
            name: for the copy, used once.
            sample: the other lake.
            web: where a web server shows the copy, when Spark shall read it from there.
            options: of the catalog in Spark.
        """
        self._cases += 1
        if self._cases % _CASES_PER_SESSION == 0:
            self._session = self._new_session()
        copy = copied(sample or self._sample, self._folder / name, self._server, web)
        folder = self._folder / name
        return _Registered(self._session, self._server, copy, folder, options or {})

    def is_right(self, name: str, answer: pa.Table) -> bool:
        """Whether these are the rows of the whole sample."""
        columns = self._columns[name]
        if answer.num_columns != len(columns):
            return False
        try:
            return _values(answer, columns) == self._right[name]
        except (TypeError, ValueError, AttributeError, pa.ArrowInvalid):
            return False  # A column has another type now.

    def has_right_shape(self, name: str, answer: pa.Table) -> bool:
        """Whether these are the columns of the whole sample."""
        return bool(answer.schema.equals(self._schemas[name]))

    def judged(self, lake: Lake, question: str, answer: pa.Table) -> Iterator[str]:
        """What is wrong with rows that are not those of the whole sample."""
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

    def asked(self, statement: str, catalog: str) -> tuple[object, list[str]]:
        """The answer, and what is wrong with it as long as it has no rows."""
        began = time.monotonic()
        with broken_off(self._session):
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

    def __init__(
        self,
        session: SparkSession,
        server: PostgresServer,
        lake: Lake,
        folder: Path,
        options: Mapping[str, str],
    ) -> None:
        self._session, self._server, self._lake, self._folder = session, server, lake, folder
        self._settings = lake.spark_settings(folder.name, options)

    def __enter__(self) -> tuple[Lake, str]:
        for key, value in self._settings.items():
            self._session.conf.set(key, value)
        return self._lake, self._folder.name

    def __exit__(self, *_: object) -> None:
        for key in self._settings:
            self._session.conf.unset(key)
        shutil.rmtree(self._folder)
        if self._lake.kind == "postgres":
            self._server.drop_database(self._lake.database)


def _values(table: pa.Table, columns: Sequence[Column]) -> list[Value]:
    return sorted(zip(*arrow_columns(table, columns), strict=True), key=repr)


def files(lake: Lake) -> list[tuple[str, int]]:
    """The files below the data path, without Hadoop's checksums."""
    files = (path for path in lake.data_path.rglob("*") if path.is_file())
    return sorted((str(path), path.stat().st_size) for path in files if path.name[0] != ".")


def stored(lake: Lake) -> object:
    """What a read leaves as it is: the bytes of a file of SQLite, elsewhere the rows."""
    return Path(lake.database).read_bytes() if lake.kind == "sqlite" else content(lake)


def content(lake: Lake) -> dict[str, list[Any]]:
    """All rows of all tables of the catalog; of SQLite as bytes, which may be no text."""
    if lake.kind != "sqlite":
        return {name: table.rows for name, table in read_catalog(lake).tables.items()}
    with closing(sqlite3.connect(lake.database)) as connection:
        connection.text_factory = bytes
        names = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
        return {
            name.decode(): connection.execute(f"SELECT rowid, * FROM {name.decode()}").fetchall()
            for (name,) in names
        }
