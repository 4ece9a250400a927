"""Every lake that DuckDB 1.3 to 2.0 wrote gives in Spark what DuckDB reads from it.

A normal run reads each fixture at its newest snapshot and an older one, chosen by a fixed rule, on
one of the three databases; another version of the same lake it reads on the next database. Lakes
with rows in the catalog it reads on two, on the second only at the newest snapshot. Of those of 1.0
on SQLite, and of the older ones that say in other ways what was deleted and merged, it reads a few
change feeds. With DUCKLAKE_FULL=1 it reads every relation at every snapshot, and every change feed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fnmatch import fnmatchcase
from functools import partial

import pytest
from pyspark.sql import SparkSession

from interop.deviations import LONG_INTEGER, REFUSALS, Refusal, amended, refusal
from interop.feed_deviations import FAILED, WRONG, Place
from interop.fixture_feeds import feed_differences
from support.compare import quoted
from support.expected import Relation, Snapshot
from support.figures import compared
from support.fixtures import Fixture, FixtureStore, all_fixtures
from support.lakes import CATALOG_KINDS, CatalogKind, Lake
from support.reading import (
    CATALOG,
    comment_differences,
    condition_of,
    history_differences,
    listing_differences,
    long_integer_columns,
    relation_differences,
    snapshot_differences,
)
from support.session import INTERPRETED
from support.sweep import FULL

DEVELOPED = "1.1-dev1"
"""What a development build for DuckDB 2 wrote; it has no scanner of other databases."""
OLDER = 1
BATCH = 16

Where = tuple[int, Relation]
"""A snapshot's id and what is recorded of a relation there."""


def recorded(store: FixtureStore, fixture: Fixture) -> list[Snapshot]:
    """What must be read, oldest snapshot first."""
    return amended(fixture, store.expected(fixture), store.expected)


def is_plain(fixture: Fixture) -> bool:
    """Whether DuckDB 1.5.5 wrote it from the start."""
    return fixture.spec == "1.0" and not fixture.case.startswith("migrated")


def turns(fixture: Fixture) -> list[CatalogKind]:
    """The databases on which a normal run reads the lake; the first has more of it to read."""
    if fixture.spec == DEVELOPED:
        return ["duckdb"]
    first = (sum(fixture.case.encode()) + int(float(fixture.spec) * 10)) % len(CATALOG_KINDS)
    known = [
        kind
        for kind in (*CATALOG_KINDS[first:], *CATALOG_KINDS[:first])
        if replace(fixture, kind=kind) in all_fixtures()
    ]
    return known[: 2 if "inlined" in fixture.case else 1]


def chosen(fixture: Fixture, snapshots: list[Snapshot]) -> list[Snapshot]:
    """The older snapshots to visit: all of them, or some at even distances."""
    older = snapshots[:-1]
    if FULL:
        return older
    if turns(fixture)[0] != fixture.kind:
        return []
    step = max(1, len(snapshots) // (OLDER + 1))
    return older[step::step][:OLDER]


def reshaped(snapshots: list[Snapshot]) -> list[Snapshot]:
    """Those with another shape of the catalog than the one before, or with views to read."""
    before = [None, *(snapshot.schema_version for snapshot in snapshots)]
    pairs = zip(snapshots, before, strict=False)
    return [s for s, version in pairs if s.views or s.schema_version != version]


def opened(spark: SparkSession, lake: Lake, options: dict[str, str]) -> SparkSession:
    """A session of its own, in which the lake has the name that stored view texts use."""
    session = spark.newSession()
    settings = lake.spark_settings(CATALOG, options) | INTERPRETED
    for key, value in settings.items():
        session.conf.set(key, value)
    return session


def differences(session: SparkSession, fixture: Fixture, where: Where, version: str) -> list[str]:
    """What is wrong with one relation at one snapshot, in sentences."""
    snapshot, relation = where
    source = f"{CATALOG}.{quoted(relation.schema)}.{quoted(relation.name)}{version}"
    refused = refusal(fixture, snapshot, relation)
    if refused is not None:
        condition = condition_of(session, f"SELECT * FROM {source}")
        is_right = condition == refused.condition
        return [] if is_right else [f"{condition}, not {refused.condition}"]
    found = relation_differences(session, relation, version)
    for column in long_integer_columns(relation):
        condition = condition_of(session, f"SELECT {quoted(column)} FROM {source}")
        if condition != LONG_INTEGER:
            found.append(f"column {column}: {condition}, not {LONG_INTEGER}")
    return found


def problems(where: Where, check: Callable[[], list[str]]) -> list[str]:
    """The differences that a check finds, with their place; a failure is one of them."""
    snapshot, relation = where
    try:
        found = check()
    except Exception as error:
        found = [str(error)[:1000]]
    return [f"snapshot {snapshot}, {relation.schema}.{relation.name}: {text}" for text in found]


def views_of(snapshot: Snapshot) -> Snapshot:
    """The snapshot with its views alone to be read."""
    views = tuple(relation for relation in snapshot.relations if relation.kind == "view")
    return replace(snapshot, relations=views)


def visited(session: SparkSession, fixture: Fixture, snapshot: Snapshot) -> list[str]:
    """What is wrong with the listing and the relations of a session's own snapshot."""
    found = listing_differences(session, snapshot)
    for relation in snapshot.relations:
        where = (snapshot.id, relation)
        is_read = relation.kind == "table" or refusal(fixture, *where) is None
        if is_read and (FULL or relation.comment is not None):
            found += problems(where, partial(comment_differences, session, relation))
        found += problems(where, partial(differences, session, fixture, where, ""))
    return found


def travelled(session: SparkSession, fixture: Fixture, snapshots: list[Snapshot]) -> list[str]:
    """What is wrong with the tables at these snapshots, read by time travel."""
    found: list[str] = []
    for batch in batches(fixture, snapshots):
        if len(batch) > 1:
            try:
                found += history_differences(session, batch)
                continue
            except Exception as error:
                print(f"reading {len(batch)} snapshots one by one after: {str(error)[:300]}")
        for where in batch:
            version = f" VERSION AS OF {where[0]}"
            found += problems(where, partial(differences, session, fixture, where, version))
    return found


def batches(fixture: Fixture, snapshots: list[Snapshot]) -> list[list[Where]]:
    """The tables at the snapshots; together what one query can read."""
    found: list[list[Where]] = []
    places = [(s.id, relation) for s in snapshots for relation in s.relations]
    tables = [where for where in places if where[1].kind == "table"]
    for where in sorted(tables, key=lambda at: (at[1].schema, at[1].name)):
        if found and len(found[-1]) < BATCH and are_alike(fixture, found[-1][-1], where):
            found[-1].append(where)
        else:
            found.append([where])
    return found


def are_alike(fixture: Fixture, one: Where, other: Where) -> bool:
    """Whether both can stand in one query: the same table with the same readable columns."""
    is_special = any(refusal(fixture, *at) or long_integer_columns(at[1]) for at in (one, other))
    facts = [(at[1].schema, at[1].name, at[1].columns) for at in (one, other)]
    return facts[0] == facts[1] and not is_special


TYPES = ("types_basic", "types_nested", "types_nested_odd", "inlined_types", "variant")
"""Lakes with values of all types."""


def is_needed(fixture: Fixture) -> bool:
    """Whether every run reads the lake, so that it has met every type."""
    return fixture.spec == "1.0" and fixture.case in TYPES


@pytest.mark.parametrize(
    "fixture",
    [
        pytest.param(each, marks=[pytest.mark.in_every_run] if is_needed(each) else [])
        for each in all_fixtures()
        if FULL or each.kind in turns(each)
    ],
    ids=str,
)
def test_spark_reads_what_duckdb_recorded(
    spark: SparkSession, fixture_store: FixtureStore, fixture: Fixture
) -> None:
    lake, snapshots = fixture_store.lake(fixture), recorded(fixture_store, fixture)

    newest = opened(spark, lake, {})
    found = snapshot_differences(newest, snapshots)
    found += visited(newest, fixture, snapshots[-1])
    older = chosen(fixture, snapshots)
    for snapshot in reshaped(older):
        pinned = opened(spark, lake, {"snapshot-version": str(snapshot.id)})
        found += visited(pinned, fixture, views_of(snapshot))
    found += travelled(newest, fixture, older)

    compared.update({"lakes": 1, "snapshots": 1 + len(older)})
    assert not found, "\n".join(found)


def is_fed(fixture: Fixture) -> bool:
    """Whether a run reads change feeds of it."""
    is_telling = is_plain(fixture) or fixture.case in ("dml", "merged", "rewritten")
    kind = "duckdb" if fixture.spec == DEVELOPED else "sqlite"
    return FULL or (fixture.kind == kind and is_telling)


@pytest.mark.parametrize("fixture", [f for f in all_fixtures() if is_fed(f)], ids=str)
def test_feeds_are_those_that_duckdb_recorded(
    spark: SparkSession, fixture_store: FixtureStore, fixture: Fixture
) -> None:
    lake, snapshots = fixture_store.lake(fixture), recorded(fixture_store, fixture)

    found = feed_differences(
        opened(spark, lake, {}), fixture, snapshots, fixture_store.changes(fixture)
    )

    assert not found, "\n".join(found)


def test_every_failure_of_duckdb_has_an_entry(fixture_store: FixtureStore) -> None:
    unexplained = [
        f"{fixture}, snapshot {snapshot.id}, {relation.name}"
        for fixture in all_fixtures()
        for snapshot in recorded(fixture_store, fixture)
        for relation in snapshot.relations
        if relation.error and not refusal(fixture, snapshot.id, relation)
    ]
    unexplained += [
        f"{fixture}, snapshot {snapshot.id}"
        for fixture in all_fixtures()
        for snapshot in recorded(fixture_store, fixture)
        if snapshot.error
    ]

    assert unexplained == []


@pytest.mark.parametrize("place", WRONG, ids=lambda place: f"{place.case}-{place.table}")
def test_every_wrong_feed_was_recorded(fixture_store: FixtureStore, place: Place) -> None:
    specs = {
        fixture.spec
        for fixture in all_fixtures()
        if fnmatchcase(fixture.case, place.case)
        for change in fixture_store.changes(fixture)
        if place.holds(fixture, change) and place.truth(list(change.rows)) != list(change.rows)
    }

    assert specs == set(place.specs)


def test_the_feeds_that_duckdb_failed_to_read_are_those_of_the_list(
    fixture_store: FixtureStore,
) -> None:
    failed, listed = set(), set()
    for fixture in all_fixtures():
        for change in fixture_store.changes(fixture):
            place = (str(fixture), change.table, change.snapshot)
            if change.error is not None:
                failed.add(place)
            if any(entry.holds(fixture, change) for entry in FAILED):
                listed.add(place)

    assert listed == failed


@pytest.mark.parametrize("entry", REFUSALS, ids=lambda entry: entry.relation[1])
def test_every_refusal_is_needed(fixture_store: FixtureStore, entry: Refusal) -> None:
    specs = {
        fixture.spec
        for fixture in all_fixtures()
        for snapshot in recorded(fixture_store, fixture)
        for relation in snapshot.relations
        if entry.holds(fixture, snapshot.id, relation)
    }

    assert specs == set(entry.specs)
