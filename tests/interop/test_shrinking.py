"""Long lists of steps become short ones; no engine is needed."""

from __future__ import annotations

import itertools

import pytest
from pyspark.errors import AnalysisException

from support.shrinking import kind_of, shrunk

MANY = 1000


@pytest.mark.parametrize(
    "needed", [{66}, {0}, {3, 66}, {10, 11, 12}, {0, 33, 34, 66}, set(range(9))]
)
def test_only_the_needed_steps_stay(needed: set[int]) -> None:
    found = shrunk(range(67), lambda rest: needed <= set(rest), runs=MANY)

    assert found == sorted(needed)


def test_steps_that_undo_each_other_go_together() -> None:
    """A step without the one before it is not valid, so that it does not fail alike."""

    def fails(rest: list[int]) -> bool:
        is_valid = 7 not in rest or 6 in rest
        return is_valid and 66 in rest

    assert shrunk(range(67), fails, runs=MANY) == [66]


def test_two_steps_of_a_usual_walk_are_found_in_the_usual_number_of_runs() -> None:
    asked: list[list[int]] = []

    def fails(rest: list[int]) -> bool:
        asked.append(rest)
        return {31, 66} <= set(rest)

    assert shrunk(range(67), fails) == [31, 66]
    assert len(asked) <= 40


def test_a_failure_that_does_not_come_again_keeps_all_steps() -> None:
    assert shrunk(range(5), lambda rest: False) == [0, 1, 2, 3, 4]


def test_the_number_of_runs_and_the_time_are_bounded() -> None:
    ticks, asked = itertools.count(), itertools.count()

    def fails(rest: list[int]) -> bool:
        return next(asked) < 0

    shrunk(range(67), fails, runs=5)
    assert next(asked) == 5
    shrunk(range(67), fails, seconds=3, now=lambda: next(ticks))
    assert next(asked) <= 9


@pytest.mark.parametrize("steps", [[], ["only"]])
def test_nothing_can_be_left_out_of_so_few(steps: list[str]) -> None:
    assert shrunk(steps, lambda rest: True) == steps


@pytest.mark.parametrize(
    ("failure", "kind"),
    [
        (AssertionError("Spark after INSERT INTO t\nassert 1 == 2"), "AssertionError: Spark"),
        (AssertionError("row ids after DELETE"), "AssertionError: row ids"),
        (ValueError("Binder Error: no column c7 in t"), "ValueError: Binder Error: no column c"),
        (AnalysisException("x 1", errorClass="A.B"), "AnalysisException: A.B"),
    ],
)
def test_failures_for_one_reason_are_of_one_kind(failure: Exception, kind: str) -> None:
    assert kind_of(failure) == kind
