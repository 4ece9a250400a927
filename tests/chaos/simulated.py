"""A database in memory that keeps snapshot isolation, and the history of random sessions on it."""

from __future__ import annotations

import random
from dataclasses import dataclass, field

from chaos.history import TOTAL, History, Key, Operation, Outcome, Reading

KEYS = tuple(Key(kind, number) for kind in ("list", "bag") for number in range(3))
SESSIONS = 5


@dataclass
class State:
    """The rows of one snapshot."""

    values: dict[Key, tuple[int, ...]]
    moved: int

    def reading(self, keys: tuple[Key, ...], snapshot: int | None = None) -> Reading:
        """Some keys, and the accounts."""
        read = {key: self.values[key] for key in keys}
        return Reading(read, (TOTAL - self.moved, self.moved), snapshot)


@dataclass
class Simulation:
    """Sessions that read and write in turns, each turn a second of its own."""

    chance: random.Random
    states: list[State] = field(default_factory=lambda: [State({key: () for key in KEYS}, 0)])
    operations: list[Operation] = field(default_factory=list)
    commits: dict[int, tuple[int, ...]] = field(default_factory=dict)
    now: float = 0

    def history(self, steps: int) -> History:
        """Begin and end so many operations of all sessions."""
        open_since: dict[int, tuple[float, int]] = {}
        for id in range(steps):
            self.now += 1
            session = self.chance.randrange(SESSIONS)
            if session not in open_since:
                open_since[session] = self.now, len(self.states) - 1
            else:
                self._end(id, session, *open_since.pop(session))
        final = self.states[-1].reading(KEYS)
        return History(tuple(self.operations), self.commits, final)

    def _end(self, id: int, session: int, begun: float, base: int) -> None:
        keys = tuple(self.chance.sample(KEYS, 3))
        outcome: Outcome = "acknowledged"
        appended: tuple[Key, ...] = ()
        moved, snapshot, past = 0, None, None
        if self.chance.random() < 0.6:
            appended, moved = keys[:2], self.chance.choice((0, 3))
            outcome = self.chance.choice(("acknowledged", "acknowledged", "unknown"))
            is_in_the_way = any(
                key.kind == "list" and self.states[base].values[key] != self.states[-1].values[key]
                for key in appended
            )
            if is_in_the_way:
                outcome = "failed"
            elif outcome == "acknowledged" or self.chance.random() < 0.5:
                snapshot = self._commit(id, appended, moved)
        elif self.chance.random() < 0.3:
            past = base = self.chance.randrange(len(self.states))
        told = snapshot if outcome == "acknowledged" else None
        reading = self.states[base].reading(keys, past)
        done = Operation(
            id, f"s{session}", begun, self.now, outcome, appended, moved, (reading,), told
        )
        self.operations.append(done)

    def _commit(self, id: int, appended: tuple[Key, ...], moved: int) -> int:
        last = self.states[-1]
        values = {**last.values, **{key: (*last.values[key], id) for key in appended}}
        self.states.append(State(values, last.moved + moved))
        self.commits[id] = (len(self.states) - 1,)
        return len(self.states) - 1
