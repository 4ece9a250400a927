"""What sessions did to a lake, and what came of it: the input of the checker.

The tables are keys to which unique numbers are appended, and two accounts whose sum never changes.
A key of the kind `list` is a row whose text grows by UPDATE, so that the order of its values is
known, and a second update of the same base must be refused. A key of the kind `bag` grows by rows
that are inserted, whose order nobody knows.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, NamedTuple

Outcome = Literal["acknowledged", "failed", "unknown"]
TOTAL = 1_000_000
"""What both accounts have together; the first has all of it in the beginning."""


class Key(NamedTuple):
    """To which values are appended."""

    kind: Literal["list", "bag"]
    number: int

    def __str__(self) -> str:
        """As a report shows it."""
        return f"{self.kind} {self.number}"


@dataclass(frozen=True)
class Reading:
    """What was read of one snapshot.

    Attributes:
        values: whole keys, the values of a list in its order.
        accounts: what both accounts had; None: they were not read.
        snapshot: the snapshot that was asked for by its number; None: the newest.
        is_after_writes: whether its transaction had written before, so that it must see this.
    """

    values: Mapping[Key, tuple[int, ...]]
    accounts: tuple[int, int] | None = None
    snapshot: int | None = None
    is_after_writes: bool = False


@dataclass(frozen=True)
class Operation:
    """One statement or one transaction.

    Attributes:
        id: a number that no other operation has; a write appends it to each of its keys, and its
            commit carries it as message.
        session: who did it; a session does one thing after the other.
        begun: seconds of a clock that all sessions share.
        ended: when its outcome was known to the session; None: never.
        appended: the keys that it wrote to.
        moved: how much it moved from the first account to the second, above 0 if it did.
        readings: of a transaction all are of its base.
        snapshot: what it became, as its engine said.
        error: why it is not acknowledged.
    """

    id: int
    session: str
    begun: float
    ended: float | None
    outcome: Outcome
    appended: tuple[Key, ...] = ()
    moved: int = 0
    readings: tuple[Reading, ...] = ()
    snapshot: int | None = None
    error: str = ""

    @property
    def is_write(self) -> bool:
        """Whether it changes anything."""
        return bool(self.appended or self.moved)


@dataclass(frozen=True)
class History:
    """All operations, and the record of the lake.

    Attributes:
        commits: the snapshots that carry the id of an operation, by that id.
        final: all keys and the accounts at the end.
    """

    operations: tuple[Operation, ...]
    commits: Mapping[int, tuple[int, ...]]
    final: Reading


@dataclass(frozen=True)
class Journal:
    """A file to which a process writes before and after each operation, so that a kill loses none.

    Attributes:
        file: each line is an operation as JSON; the last line of an id counts.
    """

    file: Path

    def write(self, operation: Operation) -> None:
        """Add a line, which is in the file when the call returns."""
        with self.file.open("a") as lines:
            lines.write(json.dumps(_as_json(operation)) + "\n")


def read(files: Iterable[Path]) -> Iterator[Operation]:
    """The operations of journals. A line that a kill cut off is that of an unknown outcome."""
    for file in files:
        found: dict[int, Operation] = {}
        for line in file.read_text().splitlines(keepends=True):
            if line.endswith("\n"):
                operation = _from_json(json.loads(line))
                found[operation.id] = operation
        yield from found.values()


def _as_json(operation: Operation) -> dict[str, Any]:
    own = dict(vars(operation))
    readings = [
        {**vars(each), "values": [[*key, values] for key, values in each.values.items()]}
        for each in operation.readings
    ]
    return {**own, "readings": readings}


def _from_json(own: dict[str, Any]) -> Operation:
    readings = tuple(
        Reading(
            {Key(kind, number): tuple(values) for kind, number, values in each["values"]},
            each["accounts"] and tuple(each["accounts"]),
            each["snapshot"],
            each["is_after_writes"],
        )
        for each in own.pop("readings")
    )
    appended = tuple(Key(*key) for key in own.pop("appended"))
    return Operation(**own, appended=appended, readings=readings)
