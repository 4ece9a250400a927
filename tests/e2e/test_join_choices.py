"""All queries of TPC-H and TPC-DS are planned as over the same files without a lake.

Spark chooses joins by sizes. The tables say that they have the sizes of SF 1, and only plans are
made, so no clock is needed and no data.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from pyspark.sql import SparkSession

from conftest import activate
from support import benchmarks
from support.benchmarks import Benchmark
from support.lakes import LakeFactory
from support.plans import choices, plan_of, size_of
from support.sweep import FULL

SOME: dict[Benchmark, tuple[int, ...]] = {
    "tpch": (7, 9, 15, 20, 22),
    "tpcds": (1, 7, 9, 10, 11, 23, 26, 27, 28, 30, 35, 58, 64, 78, 81, 88),
}
"""The queries of a run that is not full: those that were planned otherwise, and some more."""

COUNTS: dict[Benchmark, int] = {"tpch": 22, "tpcds": 99}

CASES = [
    (benchmark, number)
    for benchmark, count in COUNTS.items()
    for number in (range(1, count + 1) if FULL else SOME[benchmark])
]


@dataclass(frozen=True)
class Sessions:
    """One in which the tables are those of a lake, and one in which they are plain files."""

    ours: SparkSession
    bare: SparkSession
    queries: dict[str, str]

    def plans(self, query: str) -> tuple[str, str]:
        """The plan over the lake and the plan over the files."""
        text = self.queries[query]
        return plan_of(self.ours.sql(text)), plan_of(self.bare.sql(text))


@pytest.fixture(scope="module", params=[1, 4] if FULL else [1])
def files(request: pytest.FixtureRequest) -> int:
    """How many files a table has; only files of a table with several can be left out by joins."""
    count: int = request.param
    return count


@pytest.fixture(scope="module")
def sessions(
    spark: SparkSession,
    lakes: LakeFactory,
    files: int,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[dict[Benchmark, Sessions]]:
    """The sessions of each benchmark."""
    lake = lakes.new("sqlite")
    benchmarks.make_sized(lake, files)
    settings = {
        **lake.spark_settings("sized"),
        "spark.sql.adaptive.enabled": "false",
        # Such a filter differs from one copy of a scan to the next, as with partitioned files.
        "spark.sql.optimizer.dynamicPartitionPruning.enabled": "false",
        "spark.sql.ansi.doubleQuotedIdentifiers": "true",
    }
    made: dict[Benchmark, Sessions] = {}
    for benchmark, tables in benchmarks.SIZES.items():
        pair = spark.newSession(), spark.newSession()
        for session in pair:
            for key, value in settings.items():
                session.conf.set(key, value)
        ours, bare = pair
        ours.sql(f"USE sized.{benchmark}")
        folder = tmp_path_factory.mktemp(benchmark)
        benchmarks.view_bare(bare, tables, f"sized.{benchmark}", folder, files)
        made[benchmark] = Sessions(ours, bare, benchmarks.queries(benchmark))
    yield made
    activate(spark)


@pytest.mark.parametrize(("benchmark", "number"), CASES)
def test_a_query_is_planned_as_over_the_files_alone(
    sessions: dict[Benchmark, Sessions], benchmark: Benchmark, number: int
) -> None:
    ours, bare = sessions[benchmark].plans(f"Q{number}")

    assert "BatchScan sized" in ours
    assert "FileScan parquet" in bare
    assert choices(ours) == choices(bare), f"{ours}\n\n{bare}"


def test_the_scans_of_q9_are_merged_with_their_filters(
    sessions: dict[Benchmark, Sessions],
) -> None:
    ours, _ = sessions["tpcds"].plans("Q9")

    scans = [line for line in ours.splitlines() if "BatchScan sized.tpcds.store_sales" in line]

    assert len(scans) == 5
    assert all("ss_quantity >= " in scan and "ss_quantity <= " in scan for scan in scans)


@pytest.mark.parametrize("benchmark", benchmarks.SIZES)
def test_every_query_of_the_benchmark_is_known(
    sessions: dict[Benchmark, Sessions], benchmark: Benchmark
) -> None:
    assert len(sessions[benchmark].queries) == COUNTS[benchmark]


@pytest.mark.parametrize("benchmark", benchmarks.SIZES)
def test_no_table_is_larger_than_its_files(
    sessions: dict[Benchmark, Sessions], benchmark: Benchmark
) -> None:
    for table in benchmarks.SIZES[benchmark]:
        sizes: dict[str, list[int]] = {}
        for session in (sessions[benchmark].ours, sessions[benchmark].bare):
            columns = session.table(table).columns
            for chosen in ("*", columns[0], f"{columns[0]}, {columns[-1]}"):
                size = size_of(session.sql(f"SELECT {chosen} FROM {table}"))
                sizes.setdefault(chosen, []).append(size)
        for chosen, (ours, bare) in sizes.items():
            assert ours == bare, f"{chosen} of {table}"
