"""Which schema and which table a text may name: in lakes of 1.1 schemas hold schemas.

The rules are those of the procedures, so that a text means the same in a method of each kind.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import TypeAlias, TypeVar

from ducklake_spark_catalog.names import names_in

Path: TypeAlias = "tuple[str, ...]"
"""The names that lead to a schema or a table of a lake."""

_MAIN = "main"

_Candidate = TypeVar("_Candidate")


def schema_paths(text: str) -> list[Path]:
    """The schemas that a text may mean: that of this very name, then that in other schemas.

    Example:
        >>> schema_paths("s"), schema_paths("a.b")
        ([('s',)], [('a.b',), ('a', 'b')])
    """
    return list(dict.fromkeys([(text,), names_in(text)]))


def table_paths(schema: str | None, name: str) -> list[Path]:
    """The tables that a name may mean, the first that is there being meant.

    Without a schema that is the table of this very name in `main`, then each that a dot in the name
    divides from its schema.

    Example:
        >>> table_paths("a.b", "t")
        [('a.b', 't'), ('a', 'b', 't')]
        >>> table_paths(None, "a.b.t")
        [('main', 'a.b.t'), ('a', 'b.t'), ('a.b', 't'), ('a', 'b', 't')]
    """
    if schema is not None:
        return [(*path, name) for path in schema_paths(schema or _MAIN)]
    return [
        (_MAIN, name),
        *((*path, rest) for around, rest in _splits(name) for path in schema_paths(around)),
    ]


def new_table_paths(schema: str | None, name: str) -> list[tuple[str, Path]]:
    """Where a new table may go: a schema as text, and the names that lead to the table.

    The first whose schema is there is meant; the innermost schemas come first.

    Example:
        >>> new_table_paths(None, "t"), new_table_paths(None, "s.t")
        ([('main', ('main', 't'))], [('s', ('s', 't'))])
        >>> [path for _, path in new_table_paths(None, "a.b.t")]
        [('a.b', 't'), ('a', 'b', 't'), ('a', 'b.t')]
    """
    splits = [] if schema else list(_splits(name))
    places = list(reversed(splits)) or [(schema or _MAIN, name)]
    return [(around, (*path, rest)) for around, rest in places for path in schema_paths(around)]


def first_there(
    candidates: Iterable[_Candidate], is_there: Callable[[_Candidate], bool]
) -> _Candidate:
    """The first candidate that is there, else the last, about which Spark raises its error.

    Example:
        >>> first_there([1, 2, 3], lambda number: number > 1), first_there([1, 2], lambda _: False)
        (2, 2)
    """
    *others, last = candidates
    return next(filter(is_there, others), last)


def _splits(name: str) -> Iterator[tuple[str, str]]:
    """What stands before and behind each dot, from the first to the last."""
    for dot in re.finditer(r"\.", name):
        around, rest = name[: dot.start()], name[dot.end() :]
        if around and rest:
            yield around, rest
