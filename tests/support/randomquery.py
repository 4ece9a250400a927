"""Random queries in the SQL of both engines, over the tables of a random lake."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

from support.pools import ORDERED, pool_of

SOURCE = "{source}"
OTHER = "{other}"


@dataclass(frozen=True)
class Query:
    """One query twice; SOURCE and OTHER stand for tables. Its rows have no order."""

    duck: str
    spark: str


@dataclass(frozen=True)
class _Both:
    """A piece of SQL for each engine."""

    duck: str
    spark: str

    @classmethod
    def same(cls, text: str) -> _Both:
        return cls(text, text)


def random_query(chance: random.Random, columns: Sequence[str]) -> Query:
    """A query over a table that has `id`, `small` and the given columns of the pools."""
    shapes = (_rows, _rows, _aggregates, _aggregates, _groups, _join, _semi_join, _limited)
    return chance.choice(shapes)(chance, columns)


def _rows(chance: random.Random, columns: Sequence[str]) -> Query:
    names = chance.sample(columns, min(len(columns), chance.randint(1, 5)))
    where = _predicate(chance, columns, 2)
    listed = ", ".join(["id", "rowid", *names])
    return _query(f"SELECT {listed} FROM {SOURCE} WHERE ", where)


def _aggregates(chance: random.Random, columns: Sequence[str]) -> Query:
    ordered = [name for name in columns if name.partition("__")[0] in ORDERED]
    names = chance.sample(ordered, min(len(ordered), 3))
    parts = [
        "count(*) AS n",
        "min(id) AS lo",
        "max(id) AS hi",
        "CAST(sum(small) AS BIGINT) AS total",
    ]
    for number, name in enumerate(names):
        parts += [f"min({name}) AS lo{number}", f"max({name}) AS hi{number}"]
        parts += [f"count({name}) AS n{number}"]
    chosen = ", ".join(chance.sample(parts, chance.randint(1, len(parts))))
    if chance.random() < 0.5:
        return Query(f"SELECT {chosen} FROM {SOURCE}", f"SELECT {chosen} FROM {SOURCE}")
    return _query(f"SELECT {chosen} FROM {SOURCE} WHERE ", _predicate(chance, columns, 1))


def _groups(chance: random.Random, columns: Sequence[str]) -> Query:
    key = chance.choice([name for name in columns if not name.startswith("f")] or ["small"])
    where = _predicate(chance, columns, 1)
    return _query(
        f"SELECT {key}, count(*) AS n, max(id) AS hi FROM {SOURCE} WHERE ",
        where,
        f" GROUP BY {key}",
    )


def _join(chance: random.Random, columns: Sequence[str]) -> Query:
    kind = chance.choice(("JOIN", "LEFT JOIN"))
    key = chance.choice(("small", "id"))
    where = _predicate(chance, columns, 1, "a.")
    head = f"SELECT count(*) AS n, CAST(sum(a.id) AS BIGINT) AS s, count(b.id) AS m FROM {SOURCE} a"
    return _query(f"{head} {kind} {OTHER} b ON a.{key} = b.{key} WHERE ", where)


def _semi_join(chance: random.Random, columns: Sequence[str]) -> Query:
    inner = (
        f"SELECT small FROM {OTHER} WHERE id % {chance.choice((5, 17))} = 0 AND small IS NOT NULL"
    )
    negated = chance.choice(("", "NOT "))
    where = _predicate(chance, columns, 1)
    return _query(f"SELECT id FROM {SOURCE} WHERE small {negated}IN ({inner}) AND ", where)


def _limited(chance: random.Random, columns: Sequence[str]) -> Query:
    limit = chance.choice((0, 1, 7, 50))
    where = _predicate(chance, columns, 1)
    head = f"SELECT count(*) AS n FROM (SELECT * FROM {SOURCE} WHERE "
    return _query(head, where, f" LIMIT {limit}) AS q")


def _query(head: str, where: _Both, tail: str = "") -> Query:
    return Query(head + where.duck + tail, head + where.spark + tail)


def _predicate(
    chance: random.Random, columns: Sequence[str], depth: int, prefix: str = ""
) -> _Both:
    if depth == 0 or chance.random() < 0.3:
        return _atom(chance, columns, prefix)
    left = _predicate(chance, columns, depth - 1, prefix)
    right = _predicate(chance, columns, depth - 1, prefix)
    form = chance.choice(("({} AND {})", "({} OR {})", "(NOT {} AND {})"))
    return _Both(form.format(left.duck, right.duck), form.format(left.spark, right.spark))


def _atom(chance: random.Random, columns: Sequence[str], prefix: str) -> _Both:
    name = chance.choice([*columns, "id", "small", "st", "l"])
    column, pool = prefix + name, pool_of(name)
    if chance.random() < 0.15:
        return _Both.same(f"{column} IS {chance.choice(('', 'NOT '))}NULL")
    if name in ("id", "small"):
        limit = chance.randint(0, 400 if name == "id" else 100)
        return _Both.same(f"{column} {chance.choice(('=', '<', '>=', '<>'))} {limit}")
    if name == "st":
        return _Both.same(f"{column}.a = {chance.choice((1, 2))}")
    if name == "l":
        # Spark's array_contains is NULL where an element is; DuckDB's list_contains passes over it.
        return _Both(f"list_contains({column}, 5)", f"exists({column}, x -> x <=> 5)")
    if pool is None:
        raise ValueError(f"no values for column {name}")
    if name == "s" and chance.random() < 0.3:
        return _Both.same(f"{column} LIKE '{chance.choice(('a%', '%b', '%ü%', ''))}'")
    values = chance.sample(pool.values, min(len(pool.values), 2))
    duck = [pool.duck_literal(value) for value in values]
    spark = [pool.spark_literal(value) for value in values]
    is_ordered = name.partition("__")[0] in ORDERED
    forms = ("=", "<>", "<", "<=", ">", ">=", "IN", "BETWEEN") if is_ordered else ("=", "IN")
    form = chance.choice(forms)
    if form == "IN":
        return _Both(f"{column} IN ({', '.join(duck)})", f"{column} IN ({', '.join(spark)})")
    if form == "BETWEEN" and len(values) == 2:
        between = f"{column} BETWEEN {{}} AND {{}}"
        return _Both(between.format(*duck), between.format(*spark))
    form = "=" if form == "BETWEEN" else form
    return _Both(f"{column} {form} {duck[0]}", f"{column} {form} {spark[0]}")
