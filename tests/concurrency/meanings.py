"""Statements to break off, and what each of them means, written without the engines.

Each has a number `n` in it, so that it finds work however often it runs: rows of its own.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

Content: TypeAlias = dict[str, list[tuple[object, ...]]]
"""The rows of each table by its name, sorted."""

Rows: TypeAlias = dict[int, int]
"""The rows of `t` at first: `b` by `a`, which is unique."""

NUMBERS = 40
BLOCK = 50
MANY = 30
"""More rows than a commit may keep in the catalog."""

_NEW, _OTHER = 1_000_000, 2_000_000


@dataclass(frozen=True)
class Statement:
    """A statement of Spark, or the statements of a transaction.

    Attributes:
        sql: one, or several with semicolons between them. `{t}` is the table, `{main}` its schema,
            `{c}` the catalog, `{n}` the number; `{b}` is the first row of the number's own block in
            a file, `{i}` its own inlined row, `{head}` the newest snapshot, `{folder}` one outside
            of the lake.
        meaning: the content after it, from the content before it and the number.
        makes_files: whether it writes files into the lake, and not into the catalog alone.
        preparation: what DuckDB runs before, so that there is work.
        prepared: what the preparation means.
    """

    sql: str
    meaning: Callable[[Content, int], Content]
    makes_files: bool = False
    preparation: tuple[str, ...] = ()
    prepared: Callable[[Content, int], Content] = lambda content, n: content


def names(n: int, folder: Path, catalog: str = "lake") -> dict[str, object]:
    """What stands in a statement for the names in braces."""
    main = f"{catalog}.main"
    own = {"n": n, "b": block(n), "i": inlined(n)}
    return {"c": catalog, "main": main, "t": f"{main}.t", "folder": folder, **own}


def block(n: int) -> int:
    """The first of the rows in a file that belong to a number."""
    return n * BLOCK


def inlined(n: int) -> int:
    """The row kept in the catalog that belongs to a number."""
    return -1 - n


def at_first() -> tuple[list[str], Content]:
    """What DuckDB runs to make the table, and what is in it: a file, and inlined rows."""
    rows: Rows = {a: a for a in range(-NUMBERS, NUMBERS * BLOCK)}
    making = [
        "CREATE TABLE t (a INTEGER, b INTEGER)",
        f"INSERT INTO t SELECT i, i FROM range({NUMBERS * BLOCK}) AS r(i)",
        *(
            f"INSERT INTO t SELECT i, i FROM range({last - 9}, {last + 1}) AS r(i)"
            for last in range(-1, -NUMBERS, -10)
        ),
    ]
    return making, {"t": sorted(rows.items())}


def _of_rows(change: Callable[[Rows, int], Rows]) -> Callable[[Content, int], Content]:
    """A change of the rows of `t`, whose columns are `a` and `b`."""

    def meaning(content: Content, n: int) -> Content:
        rows = {int(str(a)): int(str(b)) for a, b in content["t"]}
        return {**content, "t": sorted(change(rows, n).items())}

    return meaning


def _without(*chosen: Callable[[int], range]) -> Callable[[Content, int], Content]:
    def change(rows: Rows, n: int) -> Rows:
        gone = {a for each in chosen for a in each(n)}
        return {a: b for a, b in rows.items() if a not in gone}

    return _of_rows(change)


def _raised(*chosen: Callable[[int], range]) -> Callable[[Content, int], Content]:
    def change(rows: Rows, n: int) -> Rows:
        raised = {a for each in chosen for a in each(n)}
        return {a: b + 1 if a in raised else b for a, b in rows.items()}

    return _of_rows(change)


def _few(n: int) -> range:
    return range(block(n), block(n) + 3)


def _many(n: int) -> range:
    return range(block(n), block(n) + MANY)


def _kept(n: int) -> range:
    return range(inlined(n), inlined(n) + 1)


def _merged(rows: Rows, n: int) -> Rows:
    rows = {**rows, **dict.fromkeys(_few(n), -5), _NEW + n: 0}
    del rows[inlined(n)]
    return rows


def _wider(content: Content, n: int) -> Content:
    return {**content, "t": [(*row, None) for row in content["t"]]}


def _of_a_delete(sql: str) -> Statement:
    """A statement that takes back what DuckDB deleted just before."""
    return Statement(
        sql,
        _of_rows(lambda rows, n: {**rows, **{a: a for a in (*_many(n), *_kept(n))}}),
        makes_files=True,
        preparation=("DELETE FROM t WHERE a = {i} OR a BETWEEN {b} AND {b} + 29",),
        prepared=_without(_many, _kept),
    )


_MERGE = """
MERGE INTO {t} AS t
USING (
  SELECT CAST({b} + id AS INT) AS a FROM range(3)
  UNION ALL SELECT {i} UNION ALL SELECT 1000000 + {n}
) AS s
ON t.a = s.a
WHEN MATCHED AND t.a < 0 THEN DELETE
WHEN MATCHED THEN UPDATE SET b = -5
WHEN NOT MATCHED THEN INSERT (a, b) VALUES (s.a, 0)
"""

_TRANSACTION = """
CALL {c}.system.begin_transaction();
INSERT INTO {t} SELECT CAST(1000000 + {b} + id AS INT), 7 FROM range(0, 30, 1, 1);
INSERT INTO {t} VALUES (2000000 + {n}, 8);
UPDATE {t} SET b = 9 WHERE a IN (1000000 + {b}, 1000000 + {b} + 1, 2000000 + {n}, {i});
DELETE FROM {t} WHERE a BETWEEN {b} AND {b} + 29 OR a = 1000000 + {b} + 2;
CREATE TABLE {main}.n{n} AS SELECT a, b FROM {t} WHERE a >= 2000000;
CALL {c}.system.commit_transaction()
"""

_DEFINITIONS = """
CALL {c}.system.begin_transaction();
ALTER TABLE {t} ADD COLUMN n{n} INT;
UPDATE {t} SET n{n} = 1 WHERE a = {b};
CREATE TABLE {main}.n{n} (a INT, b STRING);
INSERT INTO {main}.n{n} VALUES (1, 'x'), (2, 'y');
DELETE FROM {main}.n{n} WHERE a = 2;
COMMENT ON TABLE {t} IS 'number {n}';
CALL {c}.system.commit_transaction()
"""


def _transacted(content: Content, n: int) -> Content:
    rows = {int(str(a)): int(str(b)) for a, b in content["t"]}
    new = {_NEW + a: 9 if a < block(n) + 2 else 7 for a in _many(n) if a != block(n) + 2}
    rows = {a: b for a, b in rows.items() if a not in _many(n)}
    rows |= {**new, _OTHER + n: 9, inlined(n): 9}
    made = {a: b for a, b in rows.items() if a >= _OTHER}
    return {**content, "t": sorted(rows.items()), f"n{n}": sorted(made.items())}


def _defined(content: Content, n: int) -> Content:
    wider = [(*row, 1 if row[0] == block(n) else None) for row in content["t"]]
    return {**content, "t": wider, f"n{n}": [(1, "x")]}


STATEMENTS = {
    "insert into the catalog": Statement(
        "INSERT INTO {t} VALUES (1000000 + {n}, 7)",
        _of_rows(lambda rows, n: {**rows, _NEW + n: 7}),
    ),
    "insert a file": Statement(
        "INSERT INTO {t} SELECT CAST(1000000 + {b} + id AS INT), 7 FROM range(0, 30, 1, 1)",
        _of_rows(lambda rows, n: {**rows, **dict.fromkeys((_NEW + a for a in _many(n)), 7)}),
        makes_files=True,
    ),
    "overwrite": Statement(
        "INSERT OVERWRITE {t} VALUES ({n}, 100)", lambda content, n: {**content, "t": [(n, 100)]}
    ),
    "delete in the catalog": Statement(
        "DELETE FROM {t} WHERE a = {i} OR a BETWEEN {b} AND {b} + 2", _without(_few, _kept)
    ),
    "delete by a delete file": Statement(
        "DELETE FROM {t} WHERE a = {i} OR a BETWEEN {b} AND {b} + 29",
        _without(_many, _kept),
        makes_files=True,
    ),
    "update in the catalog": Statement(
        "UPDATE {t} SET b = b + 1 WHERE a = {i} OR a BETWEEN {b} AND {b} + 2", _raised(_few, _kept)
    ),
    "update by files": Statement(
        "UPDATE {t} SET b = b + 1 WHERE a = {i} OR a BETWEEN {b} AND {b} + 29",
        _raised(_many, _kept),
        makes_files=True,
    ),
    "merge": Statement(_MERGE, _of_rows(_merged)),
    "flush": Statement(
        "CALL {c}.system.flush_inlined_data('t')",
        lambda content, n: content,
        makes_files=True,
        preparation=(
            "INSERT INTO t VALUES (2000000 + {n}, 3)",
            "DELETE FROM t WHERE a = {b}",
        ),
        prepared=_of_rows(
            lambda rows, n: {a: b for a, b in rows.items() if a != block(n)} | {_OTHER + n: 3}
        ),
    ),
    "merge files": Statement(
        "CALL {c}.system.merge_adjacent_files('t')",
        lambda content, n: content,
        makes_files=True,
        preparation=("INSERT INTO t SELECT 2000000 + {b} + i, 4 FROM range(30) r(i)",),
        prepared=_of_rows(lambda rows, n: {**rows, **{_OTHER + a: 4 for a in _many(n)}}),
    ),
    "rewrite files": Statement(
        "CALL {c}.system.rewrite_data_files('t', delete_threshold => 0)",
        lambda content, n: content,
        makes_files=True,
        preparation=("DELETE FROM t WHERE a BETWEEN {b} AND {b} + 29",),
        prepared=_without(_many),
    ),
    "undo": _of_a_delete("CALL {c}.system.undo_commit({head})"),
    "roll back": _of_a_delete(
        "CALL {c}.system.rollback_to_snapshot('t', snapshot_version => {head} - 1)"
    ),
    "roll the lake back": _of_a_delete(
        "CALL {c}.system.rollback_to_snapshot(snapshot_version => {head} - 1)"
    ),
    "add files": Statement(
        "CALL {c}.system.add_data_files('t', '{folder}/added{n}.parquet')",
        _of_rows(lambda rows, n: {**rows, **dict.fromkeys((_NEW + a for a in _many(n)), 9)}),
        preparation=(
            "COPY (SELECT (1000000 + {b} + i)::INTEGER AS a, 9 AS b FROM range(30) r(i))"
            " TO '{folder}/added{n}.parquet'",
        ),
    ),
    "add a column": Statement("ALTER TABLE {t} ADD COLUMN n{n} INT", _wider),
    "create from a query": Statement(
        "CREATE TABLE {main}.n{n} AS SELECT 1 AS a, 'x' AS b",
        lambda content, n: {**content, f"n{n}": [(1, "x")]},
    ),
    "a transaction": Statement(_TRANSACTION, _transacted, makes_files=True),
    "a transaction of definitions": Statement(_DEFINITIONS, _defined),
}
