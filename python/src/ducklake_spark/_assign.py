"""What UPDATE and MERGE say about columns, as SQL text."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ducklake_spark._sql import Value, expression, identifier


def assignments(set: Mapping[str, Value], columns: Iterable[str]) -> str:
    """What SET says, for a table with these columns.

    Raises:
        TypeError: it is no mapping.
        ValueError: it is empty.

    Example:
        >>> assignments({"n": 3, "a b": "upper(x)"}, ["n", "a b"])
        '`n` = 3, `a b` = upper(x)'
    """
    if not isinstance(set, Mapping):
        raise TypeError(
            f"new values are a mapping such as {{'name': \"upper(name)\"}}, not {set!r}"
        )
    if not set:
        raise ValueError("no column is set")
    names = column_names(set, columns)
    return ", ".join(
        f"{name} = {expression(value)}" for name, value in zip(names, set.values(), strict=True)
    )


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


def join_condition(on: str | Iterable[str], columns: Iterable[str]) -> str:
    """The condition of ON: SQL, or the names of columns that are equal on both sides.

    Raises:
        ValueError: there is no name.

    Example:
        >>> join_condition("id", ["id", "name"])
        't.`id` = s.`id`'
        >>> join_condition("t.id = s.key", ["key", "name"])
        't.id = s.key'
    """
    if isinstance(on, str):
        if on.lower() not in {name.lower() for name in columns}:
            return on
        on = [on]
    equal = [f"t.{identifier(name)} = s.{identifier(name)}" for name in on]
    if not equal:
        raise ValueError("on names no column")
    return " AND ".join(equal)
