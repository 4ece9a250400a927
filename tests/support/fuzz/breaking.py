"""Random damage to a catalog. SQLite takes a value of any kind in any column, others do not."""

from __future__ import annotations

import random
from dataclasses import dataclass

from support.fuzz.opened import OpenedCatalog, RefusedError, Value, opened
from support.lakes import Lake
from support.peer import literal

NUMBERS: tuple[Value, ...] = (
    *(0, 1, -1, 2, 3, 7, 1000, 2**31 - 1, 2**31, 2**53 + 1, 2**62, 2**63 - 1, -(2**63)),
    *(1.5, 1e300, "", "x", "12x", "9223372036854775808", b"\x00\xff"),
)
TYPES: tuple[Value, ...] = (
    *("", "int32", "int8", "varchar", "boolean", "uint64", "int128", "float64", "blob", "uuid"),
    *("date", "timestamp", "timestamptz", "timestamp_ns", "time", "interval", "json", "variant"),
    *("geometry", "unknown", "decimal", "decimal(99,5)", "decimal(5,9)", "decimal(-1,x)"),
    *(
        "list",
        "struct",
        "map",
        "int32[]",
        "struct(",
        "LIST",
        "decimal(9,2",
        "decimal(9,9999999999)",
    ),
)
PATHS: tuple[Value, ...] = (
    *(
        "",
        "/",
        ".",
        "..",
        "../../x.parquet",
        "/etc/passwd",
        "no.parquet",
        "\x00",
        "a\x00b",
        "%2e%2e",
    ),
    *("s3://no/such.parquet", "http://[", "file:", "://", "x" * 5000, "a b/é?#&=.parquet", "a:b"),
    *("hdfs://nowhere:1/x", "main/plain/", "~", "\\\\", "\n"),
)
TEXTS: tuple[Value, ...] = (
    *("", " ", "x", "NULL", "null", "nan", "inf", "-1", "1e400", "99999999999999999999999999999"),
    *(
        "true",
        "2020-01-01",
        "2020-13-45",
        "999999-01-01",
        "infinity",
        "12:00",
        "{",
        "{}",
        "[",
        "[1",
    ),
    *(
        "{'x': ",
        '{"a": {"a": [}}',
        "[" * 5000,
        "(" * 3000,
        "'",
        '"',
        "''",
        "\x00",
        "\ud7ff",
        "é" * 3000,
    ),
    *("inserted_into_table:", "inserted_into_table:99999999999999999999", 'created_table:"a', ","),
    *("bucket(0)", "bucket(x)", "bucket(99999999999)", "identity", "year", "void", "truncate(3)"),
    *(
        "parquet",
        "puffin",
        "map_by_name",
        "expression",
        "ASC",
        "SELECT",
        "SELECT 1",
        "duckdb",
        "spark",
    ),
    *(
        "table",
        "schema",
        "00000000-0000-0000-0000-000000000000",
        "0000-00",
        b"\x00\xff",
        7,
        -1,
        1.5,
    ),
)
NAMED: dict[str, tuple[Value, ...]] = {
    "column_type": TYPES,
    "parameter_type": TYPES,
    "shredded_type": TYPES,
    "path": PATHS,
}
"""The values that columns of these names get besides the others of their kind."""


@dataclass(frozen=True)
class Damage:
    """One change of a catalog, as SQL with its values."""

    sql: str
    values: tuple[Value, ...] = ()

    @property
    def leads_elsewhere(self) -> bool:
        """Whether a write, or a search for orphans, could leave the folder of the lake."""
        return "ducklake_metadata" in self.sql or "path_is_relative" in self.sql

    def __str__(self) -> str:
        """The statement with its values, cut."""
        shown = ", ".join(repr(value)[:60] for value in self.values)
        return f"{self.sql} [{shown}]" if shown else self.sql


class Breaker:
    """Chooses and does damage; the same seed does the same to the same catalog."""

    def __init__(self, catalog: OpenedCatalog, chance: random.Random) -> None:
        """Looks at the tables; the connection stays the caller's."""
        self._catalog, self._chance = catalog, chance
        self._shapes = catalog.shapes()

    def damage(self) -> Damage:
        """Does one thing that the database accepts."""
        while True:
            chosen = self._chosen()
            if chosen is None:
                continue
            try:
                self._catalog.execute(chosen.sql, chosen.values)
            except RefusedError:
                continue
            return chosen

    def _chosen(self) -> Damage | None:
        table = self._chance.choice([*self._shapes])
        kinds = (self._cell, self._row, self._table)
        (kind,) = self._chance.choices(kinds, (24, 5, 1))
        return kind(table)

    def _a_row(self, table: str) -> str | None:
        """The condition that holds for one row."""
        key = self._catalog.row
        found = self._catalog.execute(f"SELECT {key} FROM {table} ORDER BY 1")
        if not found:
            return None
        (row,) = self._chance.choice(found)
        return f"WHERE {key} = {row if isinstance(row, int) else literal(row)}"

    def _cell(self, table: str) -> Damage | None:
        where = self._a_row(table)
        if where is None:
            return None
        column, kind = self._chance.choice(self._shapes[table])
        ((held,),) = self._catalog.execute(f'SELECT "{column}" FROM {table} {where}')
        value = self._value(table, column, kind, held)
        return Damage(f'UPDATE {table} SET "{column}" = ? {where}', (value,))

    def _value(self, table: str, column: str, kind: str, held: Value) -> Value:
        way = self._chance.randrange(6)
        if way == 0:
            return None
        if way == 1:
            other = self._chance.choice(self._shapes[table])[0]
            found = self._catalog.execute(f'SELECT "{other}" FROM {table}')
            taken: Value = self._chance.choice(found)[0]
            return taken
        if way == 2 and isinstance(held, int) and abs(held) < 2**60:
            return held + self._chance.choice((-1, 1, 10))
        if way == 2 and isinstance(held, str) and held:
            at = self._chance.randrange(len(held))
            return held[:at] + self._chance.choice(("", "x", "0", ",", "/", '"')) + held[at + 1 :]
        pools: list[tuple[Value, ...]] = [NAMED[column]] * 3 if column in NAMED else []
        pools.append(NUMBERS if kind == "BIGINT" else TEXTS)
        return self._chance.choice(self._chance.choice(pools))

    def _row(self, table: str) -> Damage | None:
        where = self._a_row(table)
        if where is None:
            return None
        if self._chance.randrange(2):
            return Damage(f"DELETE FROM {table} {where}")
        columns = self._shapes[table]
        changed = self._chance.choice([name for name, _ in columns] + [""] * 3)
        value = self._value(table, changed, dict(columns)[changed], None) if changed else None
        shown = ", ".join("?" if name == changed else f'"{name}"' for name, _ in columns)
        sql = f"INSERT INTO {table} SELECT {shown} FROM {table} {where}"
        return Damage(sql, (value,) if changed else ())

    def _table(self, table: str) -> Damage:
        column = self._chance.choice(self._shapes[table])[0]
        return Damage(
            self._chance.choice(
                (
                    f"DROP TABLE {table}",
                    f"DELETE FROM {table}",
                    f'ALTER TABLE {table} DROP COLUMN "{column}"',
                    f'ALTER TABLE {table} RENAME COLUMN "{column}" TO other',
                    f"ALTER TABLE {table} ADD COLUMN other BIGINT",
                    f"INSERT INTO {table} SELECT * FROM {table}",
                )
            )
        )


def broken(lake: Lake, seed: str) -> list[Damage]:
    """Does one to three things to the catalog of a lake.

    Returns:
        What was done.
    """
    chance = random.Random(seed)
    with opened(lake) as catalog:
        breaker = Breaker(catalog, chance)
        return [breaker.damage() for _ in range(chance.choice((1, 1, 1, 2, 3)))]
