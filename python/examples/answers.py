"""What two engines answer to one question, side by side on a terminal."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Sequence
from decimal import Decimal

import duckdb
from pyspark.sql import DataFrame

Row = tuple[object, ...]


def heading(text: str) -> None:
    """Print what comes next."""
    print(f"\n--- {text}\n")


def side_by_side(title: str, peer: duckdb.DuckDBPyConnection, spark: DataFrame, sql: str) -> bool:
    """Print both engines' answers to one question and say whether they agree."""
    heading(title)
    print(textwrap.indent(textwrap.dedent(sql).strip(), "  "), end="\n\n")
    left: list[Row] = peer.execute(sql).fetchall()
    right: list[Row] = [tuple(row) for row in spark.collect()]
    width = max([len(_text(row)) for row in left] + [6])
    print(f"  {'DuckDB':<{width}} | Spark")
    for number in range(max(len(left), len(right))):
        pair = [_text(rows[number]) if number < len(rows) else "" for rows in (left, right)]
        print(f"  {pair[0]:<{width}} | {pair[1]}")
    agree = len(left) == len(right) and all(
        len(a) == len(b) and all(map(_is_same, a, b)) for a, b in zip(left, right, strict=False)
    )
    print("  same answer" if agree else "  THE ANSWERS DIFFER")
    return agree


def _is_same(left: object, right: object) -> bool:
    """Whether two values are the same number or the same thing."""
    numbers = (int, float, Decimal)
    if isinstance(left, numbers) and isinstance(right, numbers):
        return math.isclose(left, right, rel_tol=1e-12)
    return left == right


def _text(row: Sequence[object]) -> str:
    """A row on one line."""
    return "  ".join(str(value) for value in row)
