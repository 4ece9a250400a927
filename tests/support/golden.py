"""The same rows written by Spark and by DuckDB: two lakes whose metadata must be the same."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from support.catalogdb import read_catalog
from support.lakes import CatalogKind, Lake, LakeFactory
from support.metadata import Allowed, compare, with_files_in_order
from support.peer import Peer

INSERT_DIFFERENCES = (
    Allowed(
        "true counts",
        "DuckDB writes zero for times with an offset and intervals, and loses rows by it",
        "ducklake_file_column_stats",
        "value_count",
        lambda left, right: right == 0 and left > 0,
    ),
    Allowed(
        "true counts of NULL",
        "as above; and of variants DuckDB never counts NULLs",
        "ducklake_file_column_stats",
        "null_count",
        lambda left, right: right == 0 and left > 0,
    ),
    Allowed(
        "no table bounds of what has no file bounds",
        "unknown bounds make a missing row; DuckDB stores empty ones and is misled by them later",
        "ducklake_table_column_stats",
        None,
        lambda left, right: left is None and right["min_value"] is None,
    ),
    Allowed(
        "true sizes",
        "DuckDB writes zero for times with an offset and intervals",
        "ducklake_file_column_stats",
        "column_size_bytes",
        lambda left, right: right == 0,
    ),
    Allowed(
        "true contains_null",
        "DuckDB counts no NULLs in these types",
        "ducklake_table_column_stats",
        "contains_null",
        lambda left, right: bool(left) and not right,
    ),
)


def metadata_differences(
    lakes: LakeFactory,
    kind: CatalogKind,
    setup: Sequence[str],
    by_spark: Callable[[Lake], None],
    by_duckdb: Sequence[str],
    allowed: Sequence[Allowed] = INSERT_DIFFERENCES,
    limit: int = 0,
) -> str:
    """What differs between a lake that Spark wrote to and one that DuckDB wrote to.

    Args:
        lakes: makes the two.
        kind: their catalog database.
        setup: statements for DuckDB that prepare either lake.
        by_spark: what Spark does.
        by_duckdb: the same for DuckDB.
        allowed: differences that are right.
        limit: how many rows DuckDB keeps in the catalog.
    """
    catalogs = []
    for statements in ((), by_duckdb):
        lake = lakes.new(kind)
        with Peer(lake, f"DATA_INLINING_ROW_LIMIT {limit}") as peer:
            peer.run(*setup, *statements)
        if not statements:
            by_spark(lake)
        catalogs.append(with_files_in_order(read_catalog(lake)))
    return compare(catalogs[0], catalogs[1], allowed).report("Spark", "DuckDB")
