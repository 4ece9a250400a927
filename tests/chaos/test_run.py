"""A lake holds while sessions of both engines work on it and everything fails that can."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from chaos.running import Plan, Run
from support.figures import compared
from support.lakes import CATALOG_KINDS
from support.sweep import FULL

SECONDS = float(os.environ.get("DUCKLAKE_SECONDS", 600))
SEED = int(os.environ.get("DUCKLAKE_SEED", 1))
PLANS = [
    pytest.param(Plan("postgres", 8, SEED, is_short=True), id="short"),
    *(
        pytest.param(
            Plan(kind, SECONDS, SEED),
            marks=pytest.mark.skipif(not FULL, reason="minutes; a short run stands for it"),
            id=kind,
        )
        for kind in CATALOG_KINDS
    ),
]


@pytest.mark.parametrize("plan", PLANS)
def test_nothing_is_lost_or_torn(spark: SparkSession, tmp_path: Path, plan: Plan) -> None:
    found = Run(plan, tmp_path).findings(lambda: spark)

    print(f"{plan}\n{found.table()}")
    compared["operations under chaos"] += found.figures["operations of Spark"]
    compared["operations under chaos"] += found.figures["operations of DuckDB"]
    assert found.wrong == []
    assert found.figures["commits acknowledged"] > 0
