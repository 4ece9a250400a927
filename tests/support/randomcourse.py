"""The course of a random walk: statements, and procedures of Spark between them."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass

from support.randomsteps import RandomSteps, Step

FLUSHES = 0.12
FLUSH = Step("shape", "CALL {c}.system.flush_inlined_data('t')", "", "")
EXPIRIES = 0.05
EXPIRE = Step("shape", "CALL {c}.system.expire_snapshots(versions => array({v}))", "", "")
COMPACTIONS = 0.1
COMPACT = tuple(
    Step("shape", f"CALL {{c}}.system.{call}", "", "")
    for call in ("merge_adjacent_files('t')", "rewrite_data_files('t', delete_threshold => 0.2)")
)
ROLLBACKS = 0.06
ROLL_BACK = Step("shape", "CALL {c}.system.rollback_to_snapshot('t', {v})", "", "")


@dataclass(frozen=True)
class Taken:
    """A step and who takes it."""

    step: Step
    by_spark: bool

    def __str__(self) -> str:
        """What a report shows: the statement as its engine gets it."""
        text = self.step.spark if self.by_spark else self.step.duckdb
        return f"{'Spark' if self.by_spark else 'DuckDB'}: {text.replace('{t}', 't')}"


def planned(seed: int, count: int) -> Iterator[Taken]:
    """As many steps of a seed, and flushes, expiries, compactions and rollbacks in between."""
    steps, chance, flushes = RandomSteps(seed), random.Random(seed), random.Random(-seed)
    expiries, compactions = random.Random(seed + 1), random.Random(seed + 2)
    rollbacks = random.Random(seed + 4)
    for _ in range(count):
        yield Taken(steps.next(), chance.random() < 0.6)
        if flushes.random() < FLUSHES:
            yield Taken(FLUSH, by_spark=True)
        if expiries.random() < EXPIRIES:
            yield Taken(EXPIRE, by_spark=True)
        if compactions.random() < COMPACTIONS:
            yield Taken(compactions.choice(COMPACT), by_spark=True)
        if rollbacks.random() < ROLLBACKS:
            yield Taken(ROLL_BACK, by_spark=True)
