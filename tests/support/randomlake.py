"""Random lakes with deletes, inlining and evolution, made by DuckDB from a seed."""

from __future__ import annotations

import random
from dataclasses import dataclass, field

from support.peer import Peer
from support.pools import NESTED, POOLS, Pool


@dataclass
class RandomLake:
    """Changes the tables of a lake step by step; the same seed gives the same rows."""

    peer: Peer
    seed: int
    tables: dict[str, list[str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Start the generator; `tables` holds the names of the pooled columns of each table."""
        self.random = random.Random(self.seed)
        self._next_id = 0
        self._added = 0
        self._wider: dict[str, list[str]] = {}

    def create(self, table: str) -> None:
        """A table of every type, in the order of the pools."""
        scalars = ", ".join(f"{name} {pool.duck}" for name, pool in POOLS.items())
        nested = ", ".join(f"{name} {kind}" for name, (kind, _) in NESTED.items())
        self.peer.run(f"CREATE TABLE {table} (id BIGINT, small SMALLINT, {scalars}, {nested})")
        self.tables[table] = list(POOLS)
        self._wider[table] = ["INTEGER", "BIGINT"]

    def step(self) -> None:
        """One random change of one random table, in a snapshot of its own."""
        table = self.random.choice(sorted(self.tables))
        actions = [self._insert_few] * 4 + [self._insert_many] * 2 + [self._delete] * 3
        actions += [self._update] * 2 + [self._add, self._drop, self._rename, self._widen]
        actions += [self._partition, self._flush, self._merge]
        self.random.choice(actions)(table)

    def _insert_few(self, table: str) -> None:
        self._insert(table, self.random.randint(1, 6))

    def _insert_many(self, table: str) -> None:
        self._insert(table, self.random.randint(20, 200))

    def _insert(self, table: str, count: int) -> None:
        start, self._next_id = self._next_id, self._next_id + count
        names = ["id", "small", *self.tables[table], *NESTED]
        values = ["i", f"CAST(hash(i, {self.seed}) % 100 AS SMALLINT)"]
        values += [self._picked(POOLS[self._origin(name)], name) for name in self.tables[table]]
        values += [self._chosen(pool, name) for name, (_, pool) in NESTED.items()]
        rows = f"range({start}, {start + count}) AS r(i)"
        self.peer.run(
            f"INSERT INTO {table} ({', '.join(names)}) SELECT {', '.join(values)} FROM {rows}"
        )

    def _picked(self, pool: Pool, salt: str) -> str:
        texts = [pool.duck_literal(text) for text in (*pool.values, *pool.hostile)]
        return self._chosen(f"[{', '.join(texts)}, NULL]", salt)

    def _chosen(self, values: str, salt: str) -> str:
        number = f"hash(i, '{salt}{self.seed}')"
        return f"({values})[CAST(1 + {number} % len({values}) AS BIGINT)]"

    def _delete(self, table: str) -> None:
        step = self.random.choice((2, 3, 7, 11))
        rest = self.random.randrange(step)
        self.peer.run(f"DELETE FROM {table} WHERE id % {step} = {rest}")

    def _update(self, table: str) -> None:
        step = self.random.choice((5, 13))
        self.peer.run(f"UPDATE {table} SET small = small + 1 WHERE id % {step} = 1")

    def _add(self, table: str) -> None:
        self._added += 1
        origin = self.random.choice(("i32", "s", "d", "f64", "flag", "d18"))
        pool = POOLS[origin]
        name = f"{origin}__{self._added}"
        default = pool.duck_literal(self.random.choice(pool.values[:3])).partition(" AS ")[0][5:]
        self.peer.run(f"ALTER TABLE {table} ADD COLUMN {name} {pool.duck} DEFAULT {default}")
        self.tables[table].append(name)

    def _drop(self, table: str) -> None:
        name = self.random.choice(self.tables[table])
        self.peer.run(f"ALTER TABLE {table} DROP COLUMN {name}")
        self.tables[table].remove(name)

    def _rename(self, table: str) -> None:
        self._added += 1
        position = self.random.randrange(len(self.tables[table]))
        old = self.tables[table][position]
        new = f"{self._origin(old)}__{self._added}"
        self.peer.run(f"ALTER TABLE {table} RENAME COLUMN {old} TO {new}")
        self.tables[table][position] = new

    def _widen(self, table: str) -> None:
        if self._wider.get(table):
            wider = self._wider[table].pop(0)
            self.peer.run(f"ALTER TABLE {table} ALTER COLUMN small SET DATA TYPE {wider}")

    def _partition(self, table: str) -> None:
        keys = ("small", "bucket(4, id)", None)
        key = self.random.choice(keys)
        change = f"SET PARTITIONED BY ({key})" if key else "RESET PARTITIONED BY"
        self.peer.run(f"ALTER TABLE {table} {change}")

    def _flush(self, table: str) -> None:
        self.peer.run(f"CALL ducklake_flush_inlined_data('lake', table_name => '{table}')")

    def _merge(self, table: str) -> None:
        self.peer.run(f"CALL ducklake_merge_adjacent_files('lake', '{table}')")

    @staticmethod
    def _origin(name: str) -> str:
        """The pool a column's values come from."""
        return name.partition("__")[0]
