"""Catalogs and files with broken content: right rows, or an error that a person can use.

No crash, no hang, never a change. DUCKLAKE_FUZZ is how many cases are run, DUCKLAKE_SEED the first.
"""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from support.fuzz.answers import BrokenAnswers
from support.fuzz.budget import cases
from support.fuzz.cases import Ground
from support.fuzz.catalogs import BrokenCatalogs
from support.fuzz.files import BrokenFiles
from support.fuzz.judge import Judge
from support.fuzz.sample import make_sample
from support.fuzz.stores import BrokenStores
from support.lakes import CatalogKind, LakeFactory
from support.postgres import PostgresServer


@pytest.mark.in_every_run
@pytest.mark.parametrize(
    ("fuzzed", "database", "count"),
    [
        (BrokenCatalogs, "sqlite", 12),
        (BrokenCatalogs, "postgres", 4),
        (BrokenCatalogs, "duckdb", 3),
        (BrokenFiles, "sqlite", 4),
    ],
)
def test_broken_lakes_end_in_rows_or_in_errors(
    spark: SparkSession,
    lakes: LakeFactory,
    server: PostgresServer,
    tmp_path: Path,
    fuzzed: type[BrokenCatalogs | BrokenFiles],
    database: CatalogKind,
    count: int,
) -> None:
    sample = lakes.new(database)
    make_sample(sample)

    with Judge() as judge:
        fuzz = fuzzed(Ground(spark, sample, tmp_path, judge, server))
        found = [fault for case in cases(count) for fault in fuzz.faults(case)]

    print(*sorted(fuzz.counted.items()), sep="\n")
    assert not found, "\n".join(found)


def test_broken_answers_of_a_web_server_end_in_rows_or_in_errors(
    spark: SparkSession, lakes: LakeFactory, server: PostgresServer, tmp_path: Path
) -> None:
    sample = lakes.new("sqlite")
    make_sample(sample)

    with (
        Judge() as judge,
        closing(BrokenAnswers(Ground(spark, sample, tmp_path, judge, server))) as fuzz,
    ):
        found = [fault for case in cases(8) for fault in fuzz.faults(case)]

    print(*sorted(fuzz.counted.items()), sep="\n")
    assert not found, "\n".join(found)


def test_broken_answers_of_an_object_store_end_in_rows_or_in_errors(
    spark: SparkSession, lakes: LakeFactory, server: PostgresServer, tmp_path: Path
) -> None:
    sample = lakes.new("sqlite")
    make_sample(sample)
    bucket = tmp_path / "root" / "lakes"
    bucket.mkdir(parents=True)

    with (
        Judge() as judge,
        closing(BrokenStores(Ground(spark, sample, bucket, judge, server))) as fuzz,
    ):
        found = [fault for case in cases(1) for fault in fuzz.faults(case)]

    print(*sorted(fuzz.counted.items()), sep="\n")
    assert not found, "\n".join(found)
