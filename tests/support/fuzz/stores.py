"""Cases of object stores that answer wrongly, before a lake with its files in one."""

from __future__ import annotations

import random
import re
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path

import pyarrow as pa

from support import rclone
from support.fuzz.brokenproxy import FORMER, BrokenProxy
from support.fuzz.cases import Cases, Ground, content
from support.fuzz.effects import EFFECTS
from support.fuzz.outcome import Failure
from support.fuzz.questions import ROWS, TABLES
from support.fuzz.storedamage import IN_ITS_PLACE, OF_STORES
from support.lakes import Lake
from support.objectstore import Bucket, secret_of

KEY = "lakekeeper"
OTHER_WRITES = (
    "CALL {c}.system.delete_orphaned_files(cleanup_all => true, dry_run => true)",
    "CALL {c}.system.delete_orphaned_files(cleanup_all => true)",
    "CALL {c}.system.export_delta('merged', '{place}/delta')",
    "CALL {c}.system.export_iceberg('merged', '{place}/iceberg')",
    "CREATE TABLE {c}.s.taken AS SELECT * FROM {c}.main.parted",
)
"""Statements that leave the rows of `TABLES` as they are."""

_IN_PARTS = {"DUCKLAKE_MAINTENANCE_INCOMPLETE", "DUCKLAKE_FLUSH_INCOMPLETE"}
_IMPATIENT = {
    "connection.timeout": "60s",
    "retry.interval": "20ms",
    "retry.throttle.interval": "20ms",
    "retry.throttle.limit": "2",
}


class BrokenStores(Cases):
    """Runs cases by their numbers; the same number does the same damage.

    A damaged answer gives no other rows, and takes no file away that the catalog names. When the
    store answers well again, the tables have the rows of before or those of the statement.
    """

    def __init__(self, ground: Ground) -> None:
        """As for `Cases`; the folder of the ground is the bucket. `close` ends the server."""
        super().__init__(ground)
        self._rows: dict[str, list[dict[str, object]]] = {}
        self._running = ExitStack()
        folder, account = ground.folder, f"{KEY},{secret_of(KEY)}"
        more = ("--auth-key", account, "--dir-cache-time", "0s")
        serving = rclone.serving("s3", folder.parent, folder.parent.parent / "store.log", *more)
        port = self._running.enter_context(serving)
        self._proxy = BrokenProxy(port, OF_STORES, IN_ITS_PLACE)
        self._running.callback(self._proxy.close)
        self._bucket = Bucket(folder.name, folder, self._proxy.port, KEY)

    def close(self) -> None:
        """Ends server and proxy."""
        self._running.close()

    def faults(self, case: int) -> list[str]:
        """Everything that went wrong in a case; each with what was done and asked."""
        chance = random.Random(f"{case} of stores")
        name, share = chance.choice([*OF_STORES, FORMER]), chance.choice((0.1, 0.4, 1.0))
        place = f"s3://{self._bucket.name}/store{case}"
        patience = {f"hadoop.fs.s3a.{key}": value for key, value in _IMPATIENT.items()}
        moved = {"data-path": f"{place}/data/", "override-data-path": "true"}
        with self.case(f"store{case}", options=self._bucket.hadoop() | patience | moved) as (
            lake,
            catalog,
        ):
            _leave_an_orphan(lake)
            is_open = chance.randrange(2) and not self.asked(ROWS["other"], catalog)[1]
            if chance.randrange(3):
                found = [*self._written(lake, catalog, place, (name, chance, share))]
            else:
                found = [*self._read(catalog, (name, chance, share))]
            self.counted["answers damaged"] += self._proxy.damaged
        self.counted["cases"] += 1
        done = f"{share:.0%} of the answers: {name}{', catalog open' if is_open else ''}"
        return [f"case {case}: {fault}\n  after {done}" for fault in found]

    def _read(self, catalog: str, damage: tuple[str, random.Random, float]) -> Iterator[str]:
        questions = damage[1].sample([*ROWS], 4)
        with self._proxy.damaging(*damage):
            for name in questions:
                answer, faults = self.asked(ROWS[name], catalog)
                yield from (*faults, *_unnamed(ROWS[name], answer))
                if not isinstance(answer, Failure) and not self.is_right(name, answer):
                    yield f"{ROWS[name]}: other rows: {str(answer)[:300]}"
        answer, _ = self.asked(ROWS[questions[0]], catalog)
        if isinstance(answer, Failure) or not self.is_right(questions[0], answer):
            yield f"{questions[0]}, when the store answers well again: {str(answer)[:600]}"

    def _written(
        self, lake: Lake, catalog: str, place: str, damage: tuple[str, random.Random, float]
    ) -> Iterator[str]:
        chance = damage[1]
        written = chance.choice([*EFFECTS, *OTHER_WRITES, *OTHER_WRITES])
        statement, effect = written.replace("{place}", place), EFFECTS.get(written)
        looked_at = {effect.table if effect else "merged", chance.choice(TABLES)}
        wanted = {name: self._before(catalog, name) for name in looked_at}
        before = content(lake)
        with self._proxy.damaging(*damage):
            answer, faults = self.asked(statement, catalog)
        yield from (*faults, *_unnamed(statement, answer))
        if isinstance(answer, Failure):
            if answer.condition not in _IN_PARTS and content(lake) != before:
                yield f"{statement} failed and changed the catalog: {answer}"
        elif effect is not None:
            wanted[effect.table] = effect.after(wanted[effect.table])
        for name, rows in wanted.items():
            if _ordered(self._asked_rows(catalog, name)) != _ordered(rows):
                yield f"{statement}: other rows in {name} afterwards ({str(answer)[:300]})"
            if isinstance(told := self._judge.rows(lake, ROWS[name]), str):
                yield f"{statement}: DuckDB cannot read {name}: {told[:300]}"
            elif len(told[1]) != len(rows):
                yield f"{statement}: DuckDB has {len(told[1])} rows in {name}, not {len(rows)}"
        if gone := _gone(lake):
            yield f"{statement}: files are gone that the catalog names: {gone}"

    def _before(self, catalog: str, name: str) -> list[dict[str, object]]:
        """The rows of a table in each new copy of the sample."""
        if name not in self._rows:
            self._rows[name] = self._asked_rows(catalog, name)
        return self._rows[name]

    def _asked_rows(self, catalog: str, name: str) -> list[dict[str, object]]:
        answer, _ = self.asked(ROWS[name], catalog)
        assert isinstance(answer, pa.Table), answer
        return list(answer.to_pylist())


def _ordered(rows: list[dict[str, object]]) -> list[str]:
    return sorted(map(repr, rows))


def _unnamed(statement: str, answer: object) -> Iterator[str]:
    named = isinstance(answer, Failure) and re.search(r"\bs3a?://lakes/", answer.message)
    if isinstance(answer, Failure) and not named:
        yield f"{statement}: the error names no object: {answer.message[:600]}"


def _leave_an_orphan(lake: Lake) -> None:
    """A file that no snapshot knows beside a table's own."""
    first = min(lake.data_path.rglob("ducklake-*.parquet"))
    name = "ducklake-01900000-0000-7000-8000-000000000000.parquet"
    shutil.copyfile(first, first.with_name(name))


def _gone(lake: Lake) -> list[str]:
    """The files of live and of past rows that are not there; names are unique."""
    there = {path.name for path in lake.data_path.rglob("*")}
    with closing(sqlite3.connect(lake.database)) as connection:
        found = connection.execute(
            "SELECT path FROM ducklake_data_file WHERE path_is_relative UNION "
            "SELECT path FROM ducklake_delete_file WHERE path_is_relative"
        ).fetchall()
    return sorted({Path(path).name for (path,) in found} - there)
