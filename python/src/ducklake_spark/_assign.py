"""What UPDATE and MERGE say about columns, as SQL text."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from pyspark.errors import AnalysisException
from pyspark.sql import Column

from ducklake_spark._sql import identifier


def settings_of(names: Iterable[str], values: Iterable[str]) -> str:
    """What SET says about columns whose names are quoted, with values in SQL.

    Example:
        >>> settings_of(["`n`", "`a b`"], ["3", "upper(x)"])
        '`n` = 3, `a b` = upper(x)'
    """
    return ", ".join(f"{name} = {value}" for name, value in zip(names, values, strict=True))


def refuse_other_than_values(set: object) -> None:
    """Refuse what is no mapping of columns to values.

    Raises:
        TypeError: it is something else.
        ValueError: it is empty.
    """
    if not isinstance(set, Mapping):
        raise TypeError(
            f"new values are a mapping such as {{'name': \"upper(name)\"}}, not {set!r}"
        )
    if not set:
        raise ValueError("no column is set")


def column_names(keys: Iterable[str], columns: Iterable[str]) -> list[str]:
    """Names of columns in quotes; what is no column may be a field in one, or SQL.

    Example:
        >>> column_names(["A b", "s.x", "`s`.`y`"], ["a b", "s"])
        ['`A b`', '`s`.`x`', '`s`.`y`']
    """
    known = {name.lower() for name in columns}
    return [
        identifier(key)
        if key.lower() in known
        else (key if "`" in key else identifier(*key.split(".")))
        for key in keys
    ]


def insertion(targets: Iterable[str], values: Iterable[str]) -> str:
    """What INSERT says in a MERGE about columns whose names are quoted, with values in SQL.

    Example:
        >>> insertion(["`id`", "`n`"], ["s.id", "3"])
        'INSERT (`id`, `n`) VALUES (s.id, 3)'
    """
    return f"INSERT ({', '.join(targets)}) VALUES ({', '.join(values)})"


def shared_columns(
    source: Iterable[str], table: Iterable[str], name: str, *, is_case_sensitive: bool
) -> list[tuple[str, str]]:
    """The columns of a source, as those of a named table that they go to and as values of a MERGE.

    Raises:
        AnalysisException: the table does not have one of them, as for an INSERT by name.

    Example:
        >>> shared_columns(["ID"], ["id", "name"], "lake.t", is_case_sensitive=False)
        [('`id`', 's.`ID`')]
    """
    known = {column if is_case_sensitive else column.lower(): column for column in table}
    found = {
        column: known.get(column if is_case_sensitive else column.lower()) for column in source
    }
    if unknown := [column for column, target in found.items() if target is None]:
        listed = ", ".join(map(identifier, unknown))
        raise AnalysisException(
            f"Cannot merge into {name}: the source has columns that the table does not have: "
            f"{listed}. Leave them out, name the columns to take, or say with_schema_evolution(), "
            "which adds them. SQLSTATE: KD000",
            "INCOMPATIBLE_DATA_FOR_TABLE.EXTRA_COLUMNS",
            {"tableName": name, "extraColumns": listed},
        )
    return [(identifier(to), f"s.{identifier(column)}") for column, to in found.items() if to]


def join_condition(on: str | Column | Iterable[str], columns: Iterable[str]) -> str | Column:
    """The condition of ON: SQL, a Column, or the names of columns that are equal on both sides.

    Raises:
        ValueError: there is no name.

    Example:
        >>> join_condition("id", ["id", "name"])
        't.`id` = s.`id`'
        >>> join_condition("t.id = s.key", ["key", "name"])
        't.id = s.key'
    """
    if isinstance(on, Column):
        return on
    if isinstance(on, str):
        if on.lower() not in {name.lower() for name in columns}:
            return on
        on = [on]
    equal = [f"t.{identifier(name)} = s.{identifier(name)}" for name in on]
    if not equal:
        raise ValueError("on names no column")
    return " AND ".join(equal)
