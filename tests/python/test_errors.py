"""Exceptions by condition."""

from __future__ import annotations

import re
from pathlib import Path

import ducklake_spark as dl
import pytest
from ducklake_spark.errors import translate
from pyspark.errors import AnalysisException, PySparkException

REPOSITORY = Path(__file__).resolve().parents[2]
CONDITIONS = REPOSITORY / "jvm/catalog/src/main/scala/ducklake/catalog/error/LakeError.scala"


def test_every_condition_of_the_connector_has_a_class() -> None:
    stated = set(re.findall(r'"(DUCKLAKE_[A-Z_]+)"', CONDITIONS.read_text()))

    classes = {kind.condition for kind in dl.DuckLakeError.__subclasses__()}

    assert classes == stated


def test_every_class_is_public() -> None:
    for kind in dl.DuckLakeError.__subclasses__():
        assert getattr(dl, kind.__name__) is kind


def test_a_reported_condition_chooses_the_class() -> None:
    failure = AnalysisException("what happened", errorClass="DUCKLAKE_NO_SUCH_SNAPSHOT")

    found = translate(failure)

    assert type(found) is dl.NoSuchSnapshotError
    assert found.getCondition() == "DUCKLAKE_NO_SUCH_SNAPSHOT"


def test_a_condition_in_the_message_of_a_failed_job_chooses_the_class() -> None:
    failure = PySparkException("Job aborted: x: [DUCKLAKE_UNREADABLE_FILE] Cannot read the file")

    assert type(translate(failure)) is dl.UnreadableFileError


def test_a_condition_that_is_not_known_is_still_ours() -> None:
    assert type(translate(PySparkException("[DUCKLAKE_LATER] x"))) is dl.DuckLakeError


def test_other_errors_pass_untouched() -> None:
    failure = AnalysisException("no", errorClass="TABLE_OR_VIEW_NOT_FOUND")

    with pytest.raises(AnalysisException) as raised, dl.translated_errors():
        raise failure

    assert raised.value is failure


def test_the_first_error_stays_visible_as_the_cause() -> None:
    failure = PySparkException("[DUCKLAKE_READ_ONLY] no")

    with pytest.raises(dl.ReadOnlyError) as raised, dl.translated_errors():
        raise failure

    assert raised.value.__cause__ is failure
