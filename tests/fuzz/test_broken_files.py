"""Files with broken content: no crash, no hang, and each error names the file.

DUCKLAKE_FUZZ is how many cases are run, DUCKLAKE_SEED the first of them.
"""

from __future__ import annotations

from pathlib import Path

from pyspark.sql import SparkSession

from support.fuzz.budget import cases
from support.fuzz.files import BrokenFiles
from support.fuzz.judge import Judge
from support.fuzz.sample import make_sample
from support.lakes import LakeFactory


def test_broken_files_end_in_rows_or_in_errors(
    spark: SparkSession, lakes: LakeFactory, tmp_path: Path
) -> None:
    sample = lakes.new("sqlite")
    make_sample(sample)

    with Judge() as judge:
        fuzz = BrokenFiles(spark, sample, tmp_path, judge)
        found = [fault for case in cases(4) for fault in fuzz.faults(case)]

    print(*sorted(fuzz.counted.items()), sep="\n")
    assert not found, "\n".join(found)
