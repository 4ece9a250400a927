"""Random statements that mean the same to Spark, to DuckDB on the lake, and to a plain table."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import Literal

from support.tablestates import Added, Alteration, Dropped

Kind = Literal["rows", "replaced", "shape"]

_COLUMNS = {"k": "BIGINT", "p": "INT", "Amount": "INT", '"Text"': "STRING", "d": "DOUBLE"}
CREATE_TABLE = 'CREATE TABLE {t} (k BIGINT, p INTEGER, Amount INTEGER, "Text" VARCHAR, d DOUBLE)'
_WORDS = ("Select", "key", "User", "Order", "analyse", "TO", "Value", "End")


@dataclass(frozen=True)
class Step:
    """One statement in three spellings, `{t}` standing for the table.

    Names are quoted as DuckDB quotes them; no text holds a double quote besides,
    and none is empty.

    Attributes:
        kind: whether it changes rows, replaces them all, or changes the table's shape.
        plain: for the plain table; empty when that has nothing to do.
        alteration: what becomes of the columns, when they change.
    """

    kind: Kind
    spark: str
    duckdb: str
    plain: str
    alteration: Alteration | None = None

    def __post_init__(self) -> None:
        """Quote names for Spark in its own way."""
        parts = self.spark.split('""')
        object.__setattr__(self, "spark", '"'.join(part.replace('"', "`") for part in parts))

    def __str__(self) -> str:
        """What a report shows."""
        return self.spark


@dataclass
class RandomSteps:
    """Makes steps for a table that begins as `CREATE_TABLE`; the same seed makes the same steps."""

    seed: int
    columns: dict[str, str] = field(default_factory=lambda: dict(_COLUMNS))

    def __post_init__(self) -> None:
        """Start the generator."""
        self.random = random.Random(self.seed)
        self._next_key = 0
        self._added = 0

    def next(self) -> Step:
        """The next step."""
        makers = [self._few] * 4 + [self._many] * 3 + [self._delete] * 4 + [self._update] * 4
        makers += [self._merge] * 3 + [self._overwrite, self._add, self._drop, self._rename]
        makers += [self._widen, self._partition]
        return self.random.choice(makers)()

    def _few(self) -> Step:
        rows = [self._row(self._key()) for _ in range(self.random.randint(1, 5))]
        return _same("rows", f"INSERT INTO {{t}} VALUES {', '.join(rows)}")

    def _row(self, key: int) -> str:
        values = [self._literal(kind) for kind in list(self.columns.values())[1:]]
        return f"({', '.join([str(key), *values])})"

    def _literal(self, kind: str) -> str:
        if self.random.random() < 0.2:
            return "NULL"
        number = self.random.randint(-50, 50)
        if kind == "STRING":
            return self.random.choice(["'x'", "''", "'NULL'", "'é'", f"'s{number}'"])
        return f"{number}.5" if kind == "DOUBLE" else str(number)

    def _key(self) -> int:
        self._next_key += 1
        return self._next_key

    def _many(self) -> Step:
        count = self.random.randint(11, 120)
        start, self._next_key = self._next_key + 1, self._next_key + count
        values = [self._computed(kind, "{i}") for kind in list(self.columns.values())[1:]]
        return self._selected("INSERT INTO {t} ", values, start, count)

    def _selected(self, begin: str, values: list[str], start: int, count: int) -> Step:
        text = ", ".join(["{i}", *values])
        spark = text.replace("{i}", "id").replace("{text}", "STRING")
        duck = text.replace("{i}", "i").replace("{text}", "VARCHAR")
        theirs = f"{begin}SELECT {duck} FROM range({start}, {start + count}) r(i)"
        return Step(
            "rows", f"{begin}SELECT {spark} FROM range({start}, {start + count})", theirs, theirs
        )

    def _computed(self, kind: str, key: str) -> str:
        divisor = self.random.choice((3, 7, 10))
        if kind == "STRING":
            return f"'v' || CAST({key} % {divisor} AS {{text}})"
        if kind == "DOUBLE":
            return f"CAST({key} % {divisor} AS DOUBLE) / 4"
        return f"CAST({key} % {divisor} AS {kind})"

    def _condition(self) -> str:
        divisor = self.random.choice((2, 3, 5, 11))
        low = self.random.randint(0, self._next_key + 1)
        return self.random.choice(
            [
                f"k % {divisor} = {self.random.randrange(divisor)}",
                f"k > {low}",
                f"k BETWEEN {low} AND {low + 15}",
                f"k = {low}",
                f"k IN (SELECT k + 1 FROM {{t}} WHERE k % {divisor} = 0)",
                f"p = {self.random.randrange(10)}",
                f"p IS NULL OR p > {self.random.randrange(10)}",
            ]
        )

    def _delete(self) -> Step:
        return _same("rows", f"DELETE FROM {{t}} WHERE {self._condition()}")

    def _update(self) -> Step:
        name = self.random.choice(list(self.columns)[1:])
        return _same(
            "rows", f"UPDATE {{t}} SET {name} = {self._next(name)} WHERE {self._condition()}"
        )

    def _next(self, name: str) -> str:
        return f"{name} || '!'" if self.columns[name] == "STRING" else f"{name} + 1"

    def _merge(self) -> Step:
        low = self.random.randint(0, self._next_key + 1)
        count = self.random.randint(1, 40)
        self._next_key = max(self._next_key, low + count)
        name = self.random.choice(list(self.columns)[1:])
        nulls = ", ".join(f"CAST(NULL AS {{{kind}}})" for kind in list(self.columns.values())[1:])
        changed = f"t.{name} || '!'" if self.columns[name] == "STRING" else f"t.{name} + 1"
        action = self.random.choice(["DELETE", f"UPDATE SET {name} = {changed}"])
        text = (
            f"MERGE INTO {{t}} AS t USING (SELECT {{i}} AS k FROM {{range}}) AS s ON t.k = s.k "
            f"WHEN MATCHED AND s.k % 2 = 0 THEN {action} "
            f"WHEN NOT MATCHED THEN INSERT ({', '.join(self.columns)}) VALUES (s.k, {nulls})"
        )
        spark = {"i": "id", "range": f"range({low}, {low + count})", "t": "{t}"}
        duck = {"i": "i", "range": f"range({low}, {low + count}) r(i)", "t": "{t}"}
        types = {kind: kind for kind in ("INT", "BIGINT", "DOUBLE")}
        theirs = text.format(**duck, **types, STRING="VARCHAR")
        return Step("rows", text.format(**spark, **types, STRING="STRING"), theirs, theirs)

    def _overwrite(self) -> Step:
        rows = [self._row(self._key()) for _ in range(self.random.randint(1, 20))]
        values = f"VALUES {', '.join(rows)}"
        theirs = f"BEGIN; DELETE FROM {{t}}; INSERT INTO {{t}} {values}; COMMIT"
        return Step("replaced", f"INSERT OVERWRITE {{t}} {values}", theirs, theirs)

    def _add(self) -> Step:
        self._added += 1
        name, kind = self._fresh(), self.random.choice(["INT", "STRING", "DOUBLE"])
        default = self.random.choice(["", " DEFAULT 7" if kind != "STRING" else " DEFAULT 'd'"])
        self.columns[name] = kind
        theirs = f"ALTER TABLE {{t}} ADD COLUMN {name} {_duck(kind)}{default}"
        ours = f"ALTER TABLE {{t}} ADD COLUMN {name} {kind}{default}"
        value = None if not default else "d" if kind == "STRING" else 7
        return Step("shape", ours, theirs, theirs, Added(value))

    def _fresh(self) -> str:
        """A new name: in capitals, no ASCII, longer than PostgreSQL allows, a word of SQL, odd."""
        number = self._added
        word = _WORDS[number // 5 % len(_WORDS)]
        plain, long = f"Mixed{number}", f"c{number:_<70}"
        names = (plain, f'"\u00dcn\u00ef {number}"', long, f'"{word}"', f'"a.b \'""{number}"')
        fresh = names[number % len(names)]
        return f"c{number}" if fresh in self.columns else fresh

    def _drop(self) -> Step:
        if len(self.columns) < 4:
            return self._add()
        name = self.random.choice([name for name in self.columns if name not in ("k", "p")])
        place = list(self.columns).index(name)
        del self.columns[name]
        text = f"ALTER TABLE {{t}} DROP COLUMN {name}"
        return Step("shape", text, text, text, Dropped(place))

    def _rename(self) -> Step:
        self._added += 1
        name = self.random.choice([name for name in self.columns if name not in ("k", "p")])
        fresh = self._fresh()
        self.columns = {fresh if old == name else old: v for old, v in self.columns.items()}
        return _same("shape", f"ALTER TABLE {{t}} RENAME COLUMN {name} TO {fresh}")

    def _widen(self) -> Step:
        narrow = [name for name, kind in self.columns.items() if kind == "INT"]
        if not narrow:
            return self._add()
        name = self.random.choice(narrow)
        self.columns[name] = "BIGINT"
        return _same("shape", f"ALTER TABLE {{t}} ALTER COLUMN {name} TYPE BIGINT")

    def _partition(self) -> Step:
        words = self.random.choice(["SET PARTITIONED BY (p)", "RESET PARTITIONED BY"])
        return Step("shape", f"ALTER TABLE {{t}} {words}", f"ALTER TABLE {{t}} {words}", "")


def _duck(kind: str) -> str:
    return "VARCHAR" if kind == "STRING" else kind


def _same(kind: Kind, text: str) -> Step:
    return Step(kind, text, text, text)
