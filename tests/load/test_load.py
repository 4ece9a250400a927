"""What `./sbt load` and `./sbt day` run, for seconds: rows are those that the sessions know."""

from __future__ import annotations

from pyspark.sql import SparkSession

from load.days import LEAST, PHASES, Day, Sample, grown
from load.running import Load
from support.lakes import CatalogKind, LakeFactory
from support.postgres import PostgresServer
from support.sweep import FULL


def test_sessions_find_what_they_wrote(spark: SparkSession, lakes: LakeFactory) -> None:
    seconds = 15 if FULL else 6
    tally, wrong = Load(spark, lakes.new("postgres"), 12, seconds, seed=1).run()

    print(tally.table(seconds))
    assert wrong == []
    assert sum(tally.by_session.values()) >= 12


def test_a_lake_stays_as_large_as_its_rows(
    spark: SparkSession, lakes: LakeFactory, server: PostgresServer, kind: CatalogKind
) -> None:
    samples: list[Sample] = []

    wrong = Day(spark, lakes.new(kind), server, 20_000 if FULL else LEAST).run(samples.append)

    assert len(samples) == PHASES
    assert wrong == []
    assert not FULL or [*grown(samples)] == []
