"""The checker of the lake's invariants fails where it must: each rule is broken on purpose."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from interop.blemishes import BY_DUCKDB_ONLY
from interop.damages import DAMAGES, HEALTHY
from support.catalogdb import execute, read_catalog
from support.invariants import DEVIATIONS, INVARIANTS, Scope, check
from support.invariants.parquet import footers
from support.lakes import CatalogKind, Lake, LakeFactory
from support.peer import Peer, connect, literal

BY_DUCKDB = Scope(None, is_free_of_orphans=True, has_duckdb_expired=True)
BY_SPARK = Scope(is_free_of_orphans=True)


def moved(lake: Lake, folder: Path) -> Lake:
    """A copy of a lake on SQLite."""
    shutil.copytree(Path(lake.database).parent, folder, dirs_exist_ok=True)
    file = folder / "catalog.sqlite"
    return Lake("sqlite", f"ducklake:sqlite:{file}", folder / "data", str(file), is_moved=True)


def broken(lake: Lake, scope: Scope = BY_SPARK) -> set[str]:
    """The names of the invariants that do not hold."""
    return {complaint.partition(":")[0] for complaint in check(lake, scope)}


@pytest.fixture(scope="module")
def healthy(lakes: LakeFactory) -> Lake:
    """A lake on SQLite that DuckDB made and that is in order."""
    made = lakes.new("sqlite")
    with Peer(made) as peer:
        peer.run(*HEALTHY.split(";"))
    return made


@pytest.mark.parametrize("kind", ["sqlite", "postgres", "duckdb"])
def test_a_healthy_lake_is_not_blamed(lakes: LakeFactory, kind: CatalogKind) -> None:
    made = lakes.new(kind)
    with Peer(made) as peer:
        peer.run(*HEALTHY.split(";"))

    assert check(made, BY_SPARK) == []


@pytest.mark.parametrize(("invariant", "sql"), DAMAGES)
def test_damage_is_noticed(healthy: Lake, tmp_path: Path, invariant: str, sql: str) -> None:
    lake = moved(healthy, tmp_path)
    (q,) = (r["table_id"] for r in read_catalog(lake).rows("table") if r["table_name"] == "q")

    execute(lake, sql.replace("{q}", str(q)))

    assert invariant in broken(lake)


def rewrite(lake: Lake, kind: str, query: str) -> None:
    """Replace the first file of a kind by what a query makes of it, its row brought in line."""
    row = next(row for row in read_catalog(lake).rows(kind) if row["path_is_relative"])
    table = "t" if row["table_id"] == 1 else "q"
    path = lake.data_path / "main" / table / str(row["path"])
    copied = path.with_suffix(".new")
    with connect() as connection:
        source = f"read_parquet({literal(str(path))})"
        connection.execute(
            f"COPY ({query.format(source=source)}) TO {literal(str(copied))} (FORMAT parquet)"
        )
    copied.replace(path)
    footer = footers([path])[path].footer_size
    sizes = f"file_size_bytes = {path.stat().st_size}, footer_size = {footer}"
    execute(lake, f"UPDATE ducklake_{kind} SET {sizes} WHERE {kind}_id = {row[f'{kind}_id']}")


@pytest.mark.parametrize(
    ("invariant", "kind", "query"),
    [
        ("nodes_have_field_ids", "data_file", "SELECT * FROM {source}"),
        ("delete_files_have_two_or_three_columns", "delete_file", "SELECT pos FROM {source}"),
        (
            "positions_increase_within_the_file",
            "delete_file",
            "SELECT file_path, pos FROM {source} ORDER BY pos DESC",
        ),
        (
            "positions_increase_within_the_file",
            "delete_file",
            "SELECT file_path, min(pos) OVER () AS pos FROM {source}",
        ),
    ],
)
def test_a_damaged_file_is_noticed(
    healthy: Lake, tmp_path: Path, invariant: str, kind: str, query: str
) -> None:
    lake = moved(healthy, tmp_path)

    rewrite(lake, kind, query)

    assert invariant in broken(lake)


def test_a_missing_file_and_a_strange_file_are_noticed(healthy: Lake, tmp_path: Path) -> None:
    lake = moved(healthy, tmp_path)
    file = next(lake.data_path.rglob("*.parquet"))

    file.rename(file.with_name("moved.parquet"))

    assert broken(lake) >= {"files_exist_with_their_size", "no_file_is_an_orphan"}


def test_files_of_something_else_are_noticed(healthy: Lake, tmp_path: Path) -> None:
    lake = moved(healthy, tmp_path)

    for file in lake.data_path.rglob("*.parquet"):
        file.write_bytes(b"x" * file.stat().st_size)

    assert "files_exist_with_their_size" in broken(lake)


def test_deletion_vectors_are_read(lakes: LakeFactory) -> None:
    lake = lakes.new("sqlite")
    with Peer(lake, "DATA_INLINING_ROW_LIMIT 0") as peer:
        peer.run(
            "CALL lake.set_option('write_deletion_vectors', true)",
            "CREATE TABLE v AS SELECT i FROM range(200000) r(i)",
            "DELETE FROM v WHERE i IN (1, 5)",
            "DELETE FROM v WHERE i BETWEEN 70000 AND 90000 OR (i > 131072 AND i % 2 = 0)",
            "CREATE TABLE u AS SELECT i FROM range(9) r(i)",
            "UPDATE u SET i = 10 WHERE i = 3",
        )
    assert {row["format"] for row in read_catalog(lake).rows("delete_file")} == {"puffin"}
    assert broken(lake, BY_DUCKDB) == set()

    execute(lake, "UPDATE ducklake_delete_file SET delete_count = delete_count + 1")

    assert broken(lake, BY_DUCKDB) == {"delete_counts_equal_the_files"}


def test_each_invariant_was_broken() -> None:
    of_files = {"nodes_have_field_ids", "delete_files_have_two_or_three_columns"}

    assert {name for name, _ in DAMAGES} | of_files == {each.__name__ for each in INVARIANTS}


@pytest.mark.parametrize("deviation", DEVIATIONS, ids=lambda each: each.name)
def test_what_duckdb_does_wrong_is_blamed_on_others_only(
    lakes: LakeFactory, deviation: object
) -> None:
    name, invariant = deviation.name, deviation.invariant  # type: ignore[attr-defined]
    lake = lakes.new("sqlite")
    with Peer(lake) as peer:
        peer.run(*BY_DUCKDB_ONLY[name].split(";"))

    assert invariant in broken(lake)
    assert check(lake, BY_DUCKDB) == []
