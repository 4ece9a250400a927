"""What Spark's UI shows of statements for which the connector starts jobs of its own."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from support.jobs import described_jobs
from support.lakes import Lake
from support.peer import Peer

Register = Callable[..., str]
MANY = 12
"""More files than the driver writes delete files for by itself."""


def described(spark: SparkSession, statement: str) -> list[str | None]:
    """The descriptions of the jobs that a statement runs; None for a job without one."""
    with described_jobs(spark) as found:
        spark.sql(statement).collect()
    return found


@pytest.fixture
def catalog(lake: Lake, register: Register) -> str:
    """A lake with a table of many small files, and inlined rows and deletes."""
    with Peer(lake, "DATA_INLINING_ROW_LIMIT 0") as peer:
        peer.run("CREATE TABLE t (k INT, p INT)")
        for number in range(MANY):
            first = number * 100
            peer.run(f"INSERT INTO t SELECT i, {number} FROM range({first}, {first + 100}) r(i)")
    with Peer(lake, "DATA_INLINING_ROW_LIMIT 10") as peer:
        peer.run("CREATE TABLE small (i INT)", "INSERT INTO small VALUES (1)")
    return register(lake, {"data-inlining-row-limit": "0"})


@pytest.mark.damages  # a snapshot in the middle expires
@pytest.mark.parametrize("kind", ["sqlite"])
def test_each_job_says_what_it_does(
    catalog: str, lake: Lake, spark: SparkSession, tmp_path: Path
) -> None:
    file = tmp_path / "more.parquet"
    with Peer(lake) as peer:
        peer.run(f"COPY (SELECT 5000 AS k, 1 AS p) TO '{file}' (FORMAT parquet)")
        head = peer.value("SELECT max(snapshot_id) FROM ducklake_snapshots('lake')")
    call = f"CALL {catalog}.system"

    def jobs(statement: str) -> list[str | None]:
        return described(spark, statement)

    deletes = jobs(f"DELETE FROM {catalog}.t WHERE k % 100 = 7")
    assert f"Writing delete files of main.t: {MANY} files" in deletes
    assert jobs(f"{call}.rewrite_data_files('t', delete_threshold => 0)") == [
        "rewrite_data_files of main.t: groups 1 to 1 of 1"
    ]
    assert jobs(f"{call}.add_data_files('t', '{file}')") == [
        "Adding files to main.t: footers of 1 files"
    ]
    back = jobs(f"{call}.rollback_to_snapshot('t', {head})")
    assert back and None not in back
    assert all("main.t" in (job or "") for job in back)
    jobs(f"{call}.expire_snapshots(versions => array({head}))")
    gone = jobs(f"{call}.cleanup_old_files(cleanup_all => true)")
    assert all((job or "").startswith(f"cleanup_old_files of {catalog}: ") for job in gone)
