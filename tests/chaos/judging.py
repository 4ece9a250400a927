"""What a run found: the history is judged, the lake is checked, and both engines read it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from signal import Signals

from pyspark.sql import SparkSession

from chaos.checker import faults
from chaos.crew import Member
from chaos.history import History, Operation, read
from chaos.recorder import Recorder
from chaos.refusals import CRASHES, end_of_duckdb, refusal
from chaos.worker import spark_clients
from chaos.workload import ALL_KEYS, query, reading
from concurrency.following import differences
from concurrency.worker import opened
from support.invariants import Scope, check
from support.lakes import Lake
from support.peer import committed_by_peers

_DEEP_BYTES = 20_000_000


@dataclass
class Findings:
    """What a run did, and what is wrong.

    Attributes:
        figures: in the order of the table.
        wrong: each a line; empty when the lake held.
    """

    figures: dict[str, int]
    refusals: Counter[str]
    wrong: list[str]

    def table(self) -> str:
        """The figures, one a line."""
        rows = [*self.figures.items()]
        rows += [(f"refused: {kind}", count) for kind, count in self.refusals.most_common()]
        rows += [("faults", len(self.wrong))]
        width = max(len(name) for name, _ in rows)
        return "\n".join(f"{name:<{width}}  {count:>8,}" for name, count in rows)


def rows(lake: Lake) -> list[tuple[str, int, str | None]]:
    """All keys and accounts, as DuckDB reads them."""
    with opened(lake) as peer:
        return peer.rows(query(ALL_KEYS))


def strange(operations: Iterable[Operation]) -> list[str]:
    """The errors that nothing in a run explains."""
    return [
        f"operation {each.id} of {each.session}: {each.error}"
        for each in operations
        if each.error and refusal(each.error) is None
    ]


@dataclass
class Judge:
    """Looks at a lake when nobody works on it any more."""

    spark: SparkSession
    lake: Lake
    journals: Path
    recorder: Recorder
    members: list[Member]
    done: Counter[str] = field(default_factory=Counter)

    def findings(self) -> Findings:
        """Judge all."""
        operations = tuple(read(sorted(self.journals.iterdir())))
        wrong = [
            *map(str, faults(self._history(operations))),
            *strange(operations),
            *self._of_engines(),
            *(f"a process ended by itself {end}" for end in self._ended()),
        ]
        return Findings(self._figures(operations), self._refusals(operations), wrong)

    def _history(self, operations: tuple[Operation, ...]) -> History:
        """Errors: AssertionError, when snapshots expired before they were recorded."""
        assert not (unseen := self.recorder.unseen()), unseen
        return History(operations, self.recorder.commits(), reading(ALL_KEYS, rows(self.lake)))

    def _of_engines(self) -> list[str]:
        """Spark reads what DuckDB does, streams lost nothing, and the lake is whole."""
        (client,) = spark_clients(self.spark, self.lake, 1)
        by_spark = Counter(client.rows(query(ALL_KEYS, client.prefix)))
        wrong = [] if by_spark == Counter(rows(self.lake)) else ["engines read other rows"]
        if any(member.kind == "streams" for member in self.members):
            wrong += [f"streams: {count} {what}" for what, count in differences(self.lake).items()]
        client.rows("CALL lake.system.delete_orphaned_files(cleanup_all => true)")
        by_duckdb = self.recorder.by("duckdb") | committed_by_peers[self.lake.uri]
        scope = Scope(by_duckdb, is_free_of_orphans=True, deep_bytes=_DEEP_BYTES)
        return wrong + check(self.lake, scope)

    def _ended(self) -> list[str]:
        """The processes that ended by themselves, but for those of DuckDB 1.5."""
        wrong = []
        ends = [(member.kind, end) for member in self.members for end in member.ended]
        for kind, end in ends:
            if reason := end_of_duckdb(end.said):
                self.done[reason] += 1
            elif kind == "DuckDBs" and end.was_struck and -end.code in CRASHES:
                self.done[f"DuckDBs that {Signals(-end.code).name} ended"] += 1
            elif refusal(end.said) is None:
                wrong.append(str(end))
        return wrong

    def _refusals(self, operations: tuple[Operation, ...]) -> Counter[str]:
        errors = [each.error for each in operations if each.error]
        return Counter(refusal(error) or "for no good reason" for error in errors)

    def _figures(self, operations: tuple[Operation, ...]) -> dict[str, int]:
        writes = [each for each in operations if each.is_write]
        outcomes = Counter(each.outcome for each in writes)
        found = self.recorder.commits()
        unknown = [each.id for each in writes if each.outcome == "unknown"]
        return {
            "operations of Spark": sum("Spark" in each.session for each in operations),
            "operations of DuckDB": sum("Duck" in each.session for each in operations),
            "readings judged": sum(len(each.readings) for each in operations),
            "commits acknowledged": outcomes["acknowledged"],
            "commits refused": outcomes["failed"],
            "commits of unknown outcome": outcomes["unknown"],
            "of these in the lake": sum(id in found for id in unknown),
            "snapshots": max(self.recorder.snapshots),
            **{name: self.done[name] for name in sorted(self.done)},
        }
