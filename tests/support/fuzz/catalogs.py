"""Cases of broken catalogs, which DuckDB judges."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Sequence

import pyarrow as pa

from support.fuzz.breaking import broken
from support.fuzz.cases import Cases, content, files, stored
from support.fuzz.effects import EFFECTS
from support.fuzz.outcome import Failure
from support.fuzz.questions import READS, ROWS, WRITES
from support.lakes import Lake

_IN_PARTS = {"DUCKLAKE_MAINTENANCE_INCOMPLETE", "DUCKLAKE_FLUSH_INCOMPLETE"}
"""Errors of calls whose finished parts stay."""


class BrokenCatalogs(Cases):
    """Runs cases by their numbers; the same number is the same case."""

    def faults(self, case: int) -> list[str]:
        """Everything that went wrong in a case; each with what was done and asked."""
        with self.case(f"case{case}") as (lake, catalog):
            damages = broken(lake, str(case))
            chance = random.Random(f"{case} asked")
            found = [*self._of_rows(lake, catalog, chance.sample([*ROWS], 3))]
            found += self._of_reads(lake, catalog, chance.sample(READS, 3))
            if not any(damage.leads_elsewhere for damage in damages):
                found += self._of_writes(lake, catalog, chance.sample(WRITES, 1))
        self.counted["cases"] += 1
        done = "; ".join(map(str, damages))
        return [f"case {case}: {fault}\n  after {done}" for fault in found]

    def _of_rows(self, lake: Lake, catalog: str, names: Sequence[str]) -> Iterator[str]:
        for name in names:
            answer, faults = self.asked(ROWS[name], catalog)
            yield from faults
            if isinstance(answer, pa.Table) and not self.is_right(name, answer):
                yield from self.judged(lake, ROWS[name], answer)

    def _of_reads(self, lake: Lake, catalog: str, statements: Sequence[str]) -> Iterator[str]:
        before = files(lake), stored(lake)
        for statement in statements:
            yield from self.asked(statement, catalog)[1]
        if (files(lake), stored(lake)) != before:
            yield f"one of {statements} changed the lake"

    def _of_writes(self, lake: Lake, catalog: str, statements: Sequence[str]) -> Iterator[str]:
        for statement in statements:
            rows = self._rows_before(lake, catalog, statement)
            before = files(lake), content(lake)
            answer, faults = self.asked(statement, catalog)
            yield from faults
            is_whole = isinstance(answer, Failure) and answer.condition not in _IN_PARTS
            if is_whole and (files(lake), content(lake)) != before:
                yield f"{statement} failed and changed the lake: {answer}"
            if rows is not None and not isinstance(answer, Failure):
                yield from self._of_effect(lake, catalog, statement, rows)

    def _rows_before(self, lake: Lake, catalog: str, statement: str) -> pa.Table | None:
        """The rows that a statement changes, if both engines read the same."""
        if statement not in EFFECTS:
            return None
        name = EFFECTS[statement].table
        answer, _ = self.asked(ROWS[name], catalog)
        is_known = isinstance(answer, pa.Table) and self.has_right_shape(name, answer)
        return answer if is_known and not [*self.judged(lake, ROWS[name], answer)] else None

    def _of_effect(
        self, lake: Lake, catalog: str, statement: str, before: pa.Table
    ) -> Iterator[str]:
        """What is wrong with the rows after a statement that succeeded."""
        effect = EFFECTS[statement]
        answer, faults = self.asked(ROWS[effect.table], catalog)
        yield from faults
        if not isinstance(answer, pa.Table):
            yield f"{statement} succeeded, and then its table could not be read: {answer}"
            return
        wanted = Counter(map(repr, effect.after(before.to_pylist())))
        found = Counter(map(repr, answer.to_pylist()))
        if found != wanted:
            more, less = str(found - wanted)[:300], str(wanted - found)[:300]
            yield f"{statement}: {more} are too much, {less} are missing"
        yield from self.judged(lake, ROWS[effect.table], answer)
        self.counted["rows after a write"] += 1
