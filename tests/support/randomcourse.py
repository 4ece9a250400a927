"""The course of a random walk: statements, and maintenance by either engine between them."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass

from support.randomsteps import RandomSteps, Step

FLUSHES = 0.12
FLUSH = Step(
    "shape",
    "CALL {c}.system.flush_inlined_data('t')",
    "CALL ducklake_flush_inlined_data('lake', table_name => 't')",
    "",
)
EXPIRIES = 0.08
EXPIRE = Step(
    "shape",
    "CALL {c}.system.expire_snapshots(versions => array({v}))",
    "CALL ducklake_expire_snapshots('lake', versions => [{v}])",
    "",
)
CLEANUPS = tuple(
    Step(
        "shape",
        f"CALL {{c}}.system.{name}(cleanup_all => true)",
        f"CALL ducklake_{name}('lake', cleanup_all => true)",
        "",
    )
    for name in ("cleanup_old_files", "delete_orphaned_files")
)
COMPACTIONS = 0.1
MERGE = Step(
    "shape",
    "CALL {c}.system.merge_adjacent_files('t')",
    "CALL ducklake_merge_adjacent_files('lake', 't')",
    "",
)
REWRITE = Step(
    "shape",
    "CALL {c}.system.rewrite_data_files('t', delete_threshold => 0.2)",
    f"{FLUSH.duckdb}; CALL ducklake_rewrite_data_files('lake', 't', delete_threshold => 0.2)",
    "",
)
"""DuckDB's rewrite fails on some tables with inlined rows (format 13.1), so it flushes first."""
COMPACT = (MERGE, REWRITE)
ROLLBACKS = 0.06
ROLL_BACK = Step("shape", "CALL {c}.system.rollback_to_snapshot('t', {v})", "", "")
THEIRS = 0.3
"""How often DuckDB does the maintenance that both engines have."""


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
    rollbacks, turns = random.Random(seed + 4), random.Random(seed + 5)
    for _ in range(count):
        yield Taken(steps.next(), chance.random() < 0.6)
        if flushes.random() < FLUSHES:
            yield Taken(FLUSH, turns.random() >= THEIRS)
        if expiries.random() < EXPIRIES:
            yield Taken(EXPIRE, turns.random() >= THEIRS)
        if compactions.random() < COMPACTIONS:
            yield Taken(compactions.choice(COMPACT), turns.random() >= THEIRS)
        if rollbacks.random() < ROLLBACKS:
            yield Taken(ROLL_BACK, by_spark=True)
