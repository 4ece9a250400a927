"""CALL rollback_to_snapshot: properties and definitions that only Spark writes come back too."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from pyspark.sql import SparkSession

from support.asking import rows
from support.histories import state
from support.lakes import Lake
from support.peer import Peer

Register = Callable[..., str]

STEPS = (
    "CREATE TABLE {t} (a INT NOT NULL COMMENT 'first', b STRING DEFAULT 'x') "
    "PARTITIONED BY (bucket(3, a)) TBLPROPERTIES ('team' = 'red', 'tier' = '1')",
    "INSERT INTO {t} VALUES (1, 'one'), (2, NULL)",
    "ALTER TABLE {t} SET TBLPROPERTIES ('team' = 'blue', 'more' = 'yes')",
    "ALTER TABLE {t} UNSET TBLPROPERTIES ('tier')",
    "ALTER TABLE {t} ALTER COLUMN a COMMENT 'changed'",
    "ALTER TABLE {t} ALTER COLUMN a DROP NOT NULL",
    "ALTER TABLE {t} ALTER COLUMN b SET DEFAULT 'y'",
    "CALL {c}.system.set_partitioned_by('t', array('b'))",
    "CALL {c}.system.set_sorted_by('t', array('b DESC', 'a'))",
)
FIRST = {
    "column tag: (1, comment, first)",
    "tag: (team, red)",
    "tag: (tier, 1)",
    "partition: (2, 0, 1, 'bucket(3)')",
}
LAST = {
    "column tag: (1, comment, changed)",
    "tag: (more, yes)",
    "tag: (team, blue)",
    "partition: (3, 0, 2, identity)",
    "sort: (0, b, duckdb, DESC, NULLS_LAST)",
    "sort: (1, a, duckdb, ASC, NULLS_LAST)",
}


def history(lake: Lake, version: int) -> set[str]:
    """What the catalog says of a snapshot beside the columns and the table."""
    with Peer(lake) as peer:
        found = state(peer, "t", version)
    assert found is not None
    return {line for line in found.shape if not line.startswith(("column:", "table:"))}


def test_what_spark_defined_comes_back(spark: SparkSession, lake: Lake, register: Register) -> None:
    catalog = register(lake)
    for step in STEPS:
        spark.sql(step.format(c=catalog, t=f"{catalog}.t")).collect()
    head = len(STEPS)
    with Peer(lake) as peer:
        assert peer.head() == head
        known = {version: state(peer, "t", version) for version in range(1, head + 1)}
    assert (history(lake, 1), history(lake, head)) == (FIRST, LAST)

    for past in (4, 2, head, 6):
        call = f"CALL {catalog}.system.rollback_to_snapshot('t', {past})"
        ((*_, new),) = rows(spark, call)
        known[new] = known[past]

    with Peer(lake) as peer:
        assert {version: state(peer, "t", version) for version in known} == known


@pytest.mark.damages  # DuckDB's own comment outlives its column, and Spark commits last
def test_comments_of_dropped_columns_stay_away(
    spark: SparkSession, lake: Lake, register: Register
) -> None:
    """DuckDB leaves the comment of a dropped column behind."""
    with Peer(lake) as peer:
        peer.run(
            "CREATE TABLE t (a INT, b INT)",
            "INSERT INTO t VALUES (1, 2)",
            "COMMENT ON COLUMN t.b IS 'x'",
            "COMMENT ON COLUMN t.b IS 'y'",
            "ALTER TABLE t DROP COLUMN b",
        )
    catalog = register(lake)

    for past in (2, 5, 4, 5):
        spark.sql(f"CALL {catalog}.system.rollback_to_snapshot('t', {past})")

    assert history(lake, 8) == {"column tag: (2, comment, y)"}
    assert history(lake, 9) == set()
