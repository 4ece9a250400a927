"""Exceptions by condition."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable
from pathlib import Path
from threading import Event, Thread

import ducklake_spark as dl
import pytest
from ducklake_spark.translation import translate, unlogged_errors
from pyspark.errors import AnalysisException, PySparkException
from pyspark.logger import PySparkLogger
from pyspark.sql import SparkSession

from support.lakes import Lake
from support.peer import Peer

REPOSITORY = Path(__file__).resolve().parents[2]
CONDITIONS = REPOSITORY / "jvm/catalog/src/main/scala/ducklake/catalog/error/LakeError.scala"


def test_every_condition_of_the_connector_has_a_class() -> None:
    stated = set(re.findall(r'"(DUCKLAKE_[A-Z_]+)"', CONDITIONS.read_text()))

    classes = {kind.condition for kind in dl.DuckLakeError.__subclasses__()}

    assert classes == stated


def test_errors_are_unlogged_in_one_thread_alone() -> None:
    """Two blocks that overlap, of which the first ends first."""
    logger = PySparkLogger.getLogger("SQLQueryContextLogger")
    before = logger.level
    inside, ended = Event(), Event()
    logged: dict[str, bool] = {}

    def second() -> None:
        with unlogged_errors():
            inside.set()
            ended.wait(10)
            logged["second"] = _is_logged(logger)

    with unlogged_errors():
        thread = Thread(target=second)
        thread.start()
        inside.wait(10)
        logged["first"] = _is_logged(logger)
    logged["outside"] = _is_logged(logger)
    ended.set()
    thread.join(10)

    assert logged == {"first": False, "outside": True, "second": False}
    assert logger.level == before
    assert _is_logged(logger)


def _is_logged(logger: logging.Logger) -> bool:
    """Whether a record passes the level of the logger, and its filters."""
    record = logger.makeRecord(logger.name, logging.ERROR, "", 0, "answer", (), None)
    return logger.isEnabledFor(logging.ERROR) and bool(logger.filter(record))


def test_every_class_is_public() -> None:
    for kind in dl.DuckLakeError.__subclasses__():
        assert getattr(dl, kind.__name__) is kind


def test_a_reported_condition_chooses_the_class() -> None:
    failure = AnalysisException("what happened", errorClass="DUCKLAKE_NO_SUCH_SNAPSHOT")

    found = translate(failure)

    assert type(found) is dl.NoSuchSnapshotError
    assert found.getCondition() == "DUCKLAKE_NO_SUCH_SNAPSHOT"


def test_an_error_keeps_its_text_its_state_and_its_parameters() -> None:
    text = "Cannot change `t`: [x] SQLSTATE: 08000 was said. SQLSTATE: 25006"
    failure = AnalysisException(text, "DUCKLAKE_READ_ONLY", {"subject": "`t`"})

    found = translate(failure)

    assert str(found) == found.getMessage() == f"[DUCKLAKE_READ_ONLY] {text}"
    assert found.getMessageParameters() == {"subject": "`t`"}


def test_an_error_that_another_quotes_is_told_alone() -> None:
    ours = "[DUCKLAKE_UNREADABLE_FILE] Cannot read the file `x`. SQLSTATE: 58030"
    failure = PySparkException(f"Job aborted: task 1 lost: {ours}\n\tat scala.Some SQLSTATE: XX000")

    found = translate(failure)

    assert str(found) == ours
    assert found.getSqlState() == "58030"
    assert found.getMessageParameters() is None


@pytest.mark.parametrize("kind", ["sqlite"], indirect=True)
@pytest.mark.parametrize("stacktrace", ["false", "true"])
def test_an_error_of_a_session_says_all_that_the_connector_said(
    spark: SparkSession, lake: Lake, register: Callable[..., str], stacktrace: str
) -> None:
    with Peer(lake) as peer:
        peer.run("CREATE TABLE t AS SELECT 1 AS a")
    table = dl.Lake(spark, register(lake)).at(version=99).table("t")
    spark.conf.set("spark.sql.pyspark.jvmStacktrace.enabled", stacktrace)
    try:
        with pytest.raises(dl.NoSuchSnapshotError) as raised:
            table.to_df()
    finally:
        spark.conf.unset("spark.sql.pyspark.jvmStacktrace.enabled")

    assert str(raised.value) == (
        "[DUCKLAKE_NO_SUCH_SNAPSHOT] Snapshot 99 is not in the lake: "
        "the oldest kept is 0, the newest is 1. SQLSTATE: 42704"
    )
    assert raised.value.getSqlState() == "42704"
    assert raised.value.getMessageParameters() == {"asked": "99", "oldest": "0", "newest": "1"}


@pytest.mark.parametrize("kind", ["sqlite"], indirect=True)
@pytest.mark.damages("a data file is taken away")
def test_an_error_of_a_task_says_all_that_the_connector_said(
    spark: SparkSession, lake: Lake, register: Callable[..., str]
) -> None:
    with Peer(lake, "DATA_INLINING_ROW_LIMIT 0") as peer:
        peer.run("CREATE TABLE t AS SELECT 1 AS a")
    (file,) = lake.data_path.rglob("*.parquet")
    rows = dl.Lake(spark, register(lake)).table("t").to_df()
    file.unlink()

    with pytest.raises(dl.UnreadableFileError) as raised, dl.translated_errors():
        rows.collect()

    assert str(raised.value).count("DUCKLAKE_") == 1
    assert raised.value.getSqlState() == "58030"
    parameters = raised.value.getMessageParameters() or {}
    assert (parameters["path"], parameters["table"]) == (str(file), "main.t")


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
