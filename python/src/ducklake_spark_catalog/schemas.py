"""Names of schemas. In lakes of version 1.1 a schema may lie in another one."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from string import ascii_lowercase, ascii_uppercase

from ducklake_spark_catalog.database import Row
from ducklake_spark_catalog.names import names_in

Path = tuple[str, ...]
"""The names that lead to a schema, the outermost first, its own last."""

_FOLDED = str.maketrans(ascii_uppercase, ascii_lowercase)


def paths(rows: Iterable[Row]) -> dict[int, Path]:
    """The path of each schema, by its id.

    Args:
        rows: schema_id, schema_name, and parent, the id of the schema around it; of rows with the
            same id the last counts.

    Example:
        >>> names = ("schema_id", "schema_name", "parent")
        >>> paths(dict(zip(names, each)) for each in [(1, "b", 2), (2, "a", None)])
        {1: ('a', 'b'), 2: ('a',)}
    """
    known = {row["schema_id"]: row for row in rows}
    return {number: _path(row, known) for number, row in known.items()}


def _path(row: Row, known: Mapping[int, Row]) -> Path:
    names: list[str] = []
    around: Row | None = row
    # A damaged catalog may have a schema in itself.
    while around is not None and len(names) < len(known):
        names.insert(0, str(around["schema_name"]))
        around = known.get(around["parent"])
    return tuple(names)


def text(path: Path) -> str:
    """A path in one text; names of several are quoted where they have a dot or a quote.

    Example:
        >>> text(("main",)), text(("a", "b")), text(("a", "b.c"))
        ('main', 'a.b', 'a."b.c"')
    """
    return path[0] if len(path) == 1 else ".".join(map(_quoted, path))


def in_schema(path: Path, name: str) -> str:
    """The name of a table, a view or a macro as commands take it.

    Names of schemas are quoted where they have a dot or a quote.

    Example:
        >>> in_schema(("s",), "q.t"), in_schema(("s.q",), "t"), in_schema(("a", "b"), "t")
        ('s.q.t', '"s.q".t', 'a.b.t')
    """
    return f"{'.'.join(map(_quoted, path))}.{name}"


def _quoted(name: str) -> str:
    is_plain = name and not set(name) & {".", '"'}
    return name if is_plain else '"' + name.replace('"', '""') + '"'


def meanings(known: Mapping[int, Path], name: str) -> Iterator[tuple[int, str]]:
    """The schemas and tables that the name of a table may mean, the first before the others.

    It is a table of `main` with exactly this name, or else any of its dots ends the schema.
    Procedures understand `table_name` in the same way.

    Example:
        >>> [*meanings({0: ("main",), 1: ("a",), 2: ("a", "b")}, "a.b.t")]
        [(0, 'a.b.t'), (1, 'b.t'), (2, 't')]
    """
    splits = [("main", name)]
    splits += [(name[: dot.start()], name[dot.end() :]) for dot in re.finditer(r"\.", name)]
    for schema, table in splits:
        number = _of_text(known, schema)
        if number is not None:
            yield number, table


def _of_text(known: Mapping[int, Path], given: str) -> int | None:
    """The schema with exactly this name, or else the one to which names with dots lead.

    Example:
        >>> known = {1: ("a", "b"), 2: ("a.b",), 3: ("A",)}
        >>> _of_text(known, "a.b"), _of_text(known, '"a".b'), _of_text(known, "a")
        (2, 1, 3)
    """
    for path in dict.fromkeys([(given,), names_in(given)]):
        same = [number for number, each in known.items() if is_same(each, path)]
        exact = [number for number in same if known[number] == path]
        if same:
            return (exact or same)[0]
    return None


def is_same(left: Path, right: Path) -> bool:
    """Whether names are the same without regard to the case of A to Z, as for DuckDB.

    Example:
        >>> is_same(("Main", "T"), ("main", "t")), is_same(("Ä",), ("ä",))
        (True, False)
    """
    return [name.translate(_FOLDED) for name in left] == [name.translate(_FOLDED) for name in right]
