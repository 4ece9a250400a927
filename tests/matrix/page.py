"""The page about what works, and the table of README, as the rows say."""

from __future__ import annotations

from collections.abc import Iterable

from matrix.evidence import Cell
from matrix.features import FEATURES, PAGES, Feature
from matrix.places import (
    DATABASES,
    OF_DATABASES,
    ON_EVERY_DATABASE,
    OTHER_DATABASES,
    STORES,
    VERSIONS,
)
from matrix.procedures import PROCEDURES
from matrix.settings import KEYS, OPTIONS
from matrix.statements import STATEMENTS
from matrix.types import TYPES
from support.lines import VERSIONS as SPARKS

_HEAD = """\
# What works, and what shows it

This page is made from `tests/matrix`. Each row names the tests that show it, and each *no* one that
asserts the refusal: `e2e/insert::every_way_to_append` is the test `test_every_way_to_append` in
`tests/e2e/test_insert.py`, and `CatalogConfigSpec` is a spec in `jvm`. A test of its own fails when
one of them is not there, or when a procedure, a key, an option or a type has no row.

[Versions](versions.md#what-each-version-can-do) says what each Spark lacks, the
[comparison](comparison.md) what other libraries do with the same table, the [conflict
matrix](conflicts.md) which two commits go together.

"""


def _table(heads: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    heads = list(heads)
    lines = [
        " | ".join(heads),
        " | ".join("---" for _ in heads),
        *(" | ".join(row) for row in rows),
    ]
    return "".join(f"| {line} |\n" for line in lines)


def _names(tests: Iterable[str]) -> str:
    return "<br>".join(f"`{test}`" for test in tests)


def _shown(cell: Cell) -> str:
    return "<br>".join(part for part in (cell.text, _names(cell.tests)) if part)


def _link(feature: Feature, folder: str) -> str:
    return f"[{feature.title}]({folder}{feature.page})"


def readme_table() -> str:
    """The table below *What works* in README."""
    return _table(
        ("feature", "reads", "writes", "since", "page"),
        (
            (each.name, each.reads.text, each.writes.text, each.since, _link(each, PAGES))
            for each in FEATURES
        ),
    )


def _features() -> str:
    return _table(
        ("feature", "reads", "writes", "since", "page"),
        (
            (each.name, _shown(each.reads), _shown(each.writes), each.since, _link(each, ""))
            for each in FEATURES
        ),
    )


def _statements() -> str:
    return _table(
        ("statement", "works", "since Spark", "shown by"),
        (
            (
                each.name,
                each.holds.text,
                each.needs.since if each.needs else SPARKS[0],
                _names(each.holds.tests),
            )
            for each in STATEMENTS
        ),
    )


def _databases() -> str:
    everywhere = (
        (what, *("yes" for _ in DATABASES), f"`{test}`") for what, test in ON_EVERY_DATABASE.items()
    )
    return (
        _table(("what holds on each", *DATABASES, "shown by"), everywhere)
        + "\n"
        + _table(
            ("what differs", *DATABASES),
            ((what, *map(_shown, cells)) for what, cells in OF_DATABASES.items()),
        )
        + "\n"
        + _table(("others", ""), ((what, _shown(cell)) for what, cell in OTHER_DATABASES.items()))
    )


def _words(rows: dict[str, tuple[str, ...]]) -> Iterable[tuple[str, str]]:
    return ((f"`{name}`", _names(tests)) for name, tests in rows.items())


def page() -> str:
    """The text of `jvm/docs/capabilities.md`."""
    sections = {
        "Features": _features(),
        "Statements": _statements(),
        "Types": _table(
            ("type of DuckLake", "read", "written"),
            ((name, _shown(read), _shown(written)) for name, (read, written) in TYPES.items()),
        ),
        "Procedures": _table(("procedure", "shown by"), _words(PROCEDURES)),
        "Keys of a catalog": _table(("key", "shown by"), _words(KEYS)),
        "Options of a lake": _table(("option", "shown by"), _words(OPTIONS)),
        "Catalog databases": _databases(),
        "Stores": _table(("store", ""), ((name, _shown(cell)) for name, cell in STORES.items())),
        "Versions of lakes": _table(
            ("version", "reads", "writes"),
            ((name, _shown(reads), _shown(writes)) for name, (reads, writes) in VERSIONS.items()),
        ),
    }
    return _HEAD + "\n".join(f"## {title}\n\n{text}" for title, text in sections.items())
