"""Options that are stored twice: `ducklake_metadata` has no key."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from pyspark.sql import SparkSession

from support.catalogdb import execute
from support.lakes import LakeFactory
from support.peer import Peer


@pytest.mark.parametrize(("values", "files"), [(("0", "100"), 0), (("100", "0"), 1)])
@pytest.mark.parametrize("scope", ["NULL, NULL", "'table', 1"])
def test_both_engines_take_the_last_row_of_an_option(
    spark: SparkSession,
    lakes: LakeFactory,
    register: Callable[..., str],
    values: tuple[str, str],
    files: int,
    scope: str,
) -> None:
    """Two sessions of DuckDB that set an option at the same time leave two rows."""
    lake = lakes.new("sqlite")
    with Peer(lake) as peer:
        peer.run("CREATE TABLE t (a INT)")
    for value in values:
        execute(
            lake,
            f"INSERT INTO ducklake_metadata VALUES ('data_inlining_row_limit', '{value}', {scope})",
        )

    with Peer(lake) as peer:
        peer.run("INSERT INTO t SELECT i FROM range(50) r(i)")
        by_duckdb = peer.rows("SELECT count(*) FROM __ducklake_metadata_lake.ducklake_data_file")
    catalog = register(lake)
    spark.sql(f"INSERT INTO {catalog}.t SELECT CAST(id AS INT) FROM range(0, 50, 1, 1)").collect()
    with Peer(lake) as peer:
        by_both = peer.rows("SELECT count(*) FROM __ducklake_metadata_lake.ducklake_data_file")

    assert (by_duckdb, by_both) == ([(files,)], [(2 * files,)])
