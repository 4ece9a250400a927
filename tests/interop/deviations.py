"""Where Spark must not give what DuckDB recorded, each place with its reason.

Nothing is skipped: a correction says what holds instead, a refusal says which error must come, and
both are asserted. Two kinds of places may stand here: values that Spark's types cannot hold, and
fixtures where DuckDB itself was wrong or failed (tests/compat/INDEX.md).

Values of 39 digits need no entry: `has_long_integer` finds them in the recorded values, and the
column must then be refused with LONG_INTEGER while the others are read.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase

from support.expected import Column, Relation, Snapshot
from support.fixtures import Fixture

LONG_INTEGER = "DUCKLAKE_INVALID_VALUE"

Load = Callable[[Fixture], list[Snapshot]]


@dataclass(frozen=True)
class Refusal:
    """Reading the relation must fail with the condition; `until` is exclusive."""

    reason: str
    condition: str
    specs: tuple[str, ...]
    case: str
    relation: tuple[str, str]
    since: int = 0
    until: int = 1_000_000

    def holds(self, fixture: Fixture, snapshot: int, relation: Relation) -> bool:
        """Whether it speaks of this relation at this snapshot."""
        return (
            fixture.spec in self.specs
            and fnmatchcase(fixture.case, self.case)
            and self.since <= snapshot < self.until
            and all(map(fnmatchcase, (relation.schema, relation.name), self.relation))
        )


ALL = ("0.2", "0.3", "0.4", "1.0", "1.1-dev1")

REFUSALS = (
    Refusal(
        "the text calls upper(), which makes SS of ß in Spark and ẞ in DuckDB",
        "DUCKLAKE_UNUSABLE_VIEW",
        ALL,
        "*catalog_objects",
        ("main", "aliased_view"),
        until=31,
    ),
    Refusal(
        "its table was dropped, later replaced by one without the column: DuckDB fails too",
        "DUCKLAKE_UNUSABLE_VIEW",
        ALL,
        "*catalog_objects",
        ("s1", "v"),
        since=34,
    ),
)


def refusal(fixture: Fixture, snapshot: int, relation: Relation) -> Refusal | None:
    """The entry that says how reading the relation must fail, if there is one."""
    if relation.kind == "table" and not relation.rows:
        return None
    return next((r for r in REFUSALS if r.holds(fixture, snapshot, relation)), None)


def amended(fixture: Fixture, snapshots: list[Snapshot], load: Load) -> list[Snapshot]:
    """The recorded snapshots with the truth in the places where DuckDB was wrong or failed."""
    for amend in (_superseded_inlined, _odd_nested, _widened, _overlapping, _variant_blobs):
        snapshots = amend(fixture, snapshots, load)
    return snapshots


def _superseded_inlined(fixture: Fixture, snapshots: list[Snapshot], load: Load) -> list[Snapshot]:
    """DuckDB 1.4 and 1.5.1 read columns added after an inlined insert as their default.

    They also fail on a struct that got a field. The same rows, migrated and read by DuckDB 1.5.5,
    show what is stored; of 0.4 only the SQLite catalog was migrated.
    """
    if fixture.case != "inlined" or fixture.spec not in ("0.3", "0.4"):
        return snapshots
    kind = fixture.kind if fixture.spec == "0.3" else "sqlite"
    truth = load(Fixture("1.0", kind, f"migrated_{fixture.spec}_inlined"))
    return _taken_from(truth, snapshots, ("evo", "nested"))


def _odd_nested(fixture: Fixture, snapshots: list[Snapshot], load: Load) -> list[Snapshot]:
    """DuckDB cannot read some nested values that it inlined in SQLite and PostgreSQL itself.

    The case `types_nested_odd` wrote the same rows to files.
    """
    if fixture.case != "inlined_nested_odd" or fixture.kind == "duckdb":
        return snapshots
    truth = load(replace(fixture, case="types_nested_odd"))
    return _taken_from(truth, snapshots, ("nested_text", "nested_types", "nested_temporal"))


def _taken_from(
    truth: list[Snapshot], snapshots: list[Snapshot], names: tuple[str, ...]
) -> list[Snapshot]:
    """The snapshots, with rows and row ids of the named tables as in `truth`."""
    by_id = {snapshot.id: snapshot for snapshot in truth}
    return [
        replace(
            snapshot,
            relations=tuple(
                _with_rows(relation, by_id[snapshot.id]) if relation.name in names else relation
                for relation in snapshot.relations
            ),
        )
        for snapshot in snapshots
    ]


def _with_rows(relation: Relation, truth: Snapshot) -> Relation:
    source = truth.relation(relation.schema, relation.name)
    return replace(relation, rows=source.rows, row_ids=source.row_ids, error=None)


_WIDENED_ROWS = {"widen_extremes": ["1", "-128", "255", "0.1"], "widen_cross": ["1", "-5", "200"]}
_CREATED_EMPTY = (62, 68)


def _widened(fixture: Fixture, snapshots: list[Snapshot], load: Load) -> list[Snapshot]:
    """Before a promotion DuckDB fails: today's bounds do not cast to the older type.

    The one row that each table has by then is the INSERT of the case's script.
    """
    if fixture.case != "schema_evolution" or fixture.spec != "1.0":
        return snapshots

    def repaired(snapshot: int, relation: Relation) -> Relation:
        if relation.error is None:
            return relation
        rows = () if snapshot in _CREATED_EMPTY else (_WIDENED_ROWS[relation.name],)
        return replace(relation, rows=rows, row_ids=tuple(range(len(rows))), error=None)

    return [
        replace(snapshot, relations=tuple(repaired(snapshot.id, r) for r in snapshot.relations))
        for snapshot in snapshots
    ]


def _overlapping(fixture: Fixture, snapshots: list[Snapshot], load: Load) -> list[Snapshot]:
    """DuckDB 1.3 left overlapping rows in ducklake_column; the one that began last is meant."""
    if fixture.case != "double_alter" or fixture.spec != "0.2":
        return snapshots
    types = {3: "SMALLINT", 4: "SMALLINT", 5: "INTEGER"}
    return [_readable(s, types[s.id]) if s.id in types else s for s in snapshots]


def _readable(snapshot: Snapshot, type_text: str) -> Snapshot:
    rows = (["1", "-128"], ["2", "127"])[: 1 if snapshot.id == 3 else 2]
    table = Relation(
        kind="table",
        since=snapshot.id,
        schema="main",
        name="widen",
        columns=(Column("id", "INTEGER"), Column("i", type_text)),
        rows=rows,
        row_ids=tuple(range(len(rows))),
        comment=None,
        error=None,
    )
    return replace(
        snapshot,
        schemas=("main",),
        tables=(("main", "widen"),),
        relations=(table,),
        error=None,
    )


def _variant_blobs(fixture: Fixture, snapshots: list[Snapshot], load: Load) -> list[Snapshot]:
    """DuckDB 1.5.1 reads bytes in a variant of a file as text in base 64; 1.5.5 reads the bytes."""
    if fixture.spec != "0.4" or not fixture.case.startswith("variant"):
        return snapshots
    wrong = {"type": "VARCHAR", "value": "AP8="}
    right = {"type": "BLOB", "value": "\\x00\\xFF"}
    return [
        replace(
            snapshot,
            relations=tuple(
                replace(
                    relation,
                    rows=tuple([right if v == wrong else v for v in row] for row in relation.rows),
                )
                for relation in snapshot.relations
            ),
        )
        for snapshot in snapshots
    ]
