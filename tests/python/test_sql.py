"""SQL text: names, values and calls."""

from __future__ import annotations

from datetime import date, datetime, timedelta, timezone

import pytest
from ducklake_spark._sql import (
    Option,
    Value,
    as_of,
    call,
    identifier,
    literal,
    option_text,
    properties,
)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "NULL"),
        (True, "true"),
        (7, "7"),
        (3.5, "3.5D"),
        (-1e-300, "-1e-300D"),
        (["a", "it's"], "array('a', CAST(X'69742773' AS STRING))"),
        ((1, None), "array(1, NULL)"),
        ("plain", "'plain'"),
        ("it's", "CAST(X'69742773' AS STRING)"),
        ("é\\", "CAST(X'C3A95C' AS STRING)"),
        ("${a}", "CAST(X'247B617D' AS STRING)"),
        ("$a{}", "'$a{}'"),
        (datetime(2026, 1, 31, 1, 2, 3, 4), "TIMESTAMP '2026-01-31 01:02:03.000004'"),
        (date(2026, 1, 31), "DATE '2026-01-31'"),
        (
            datetime(2026, 1, 31, tzinfo=timezone(timedelta(hours=2))),
            "TIMESTAMP '2026-01-31 00:00:00+02:00'",
        ),
    ],
)
def test_values_are_literals(value: Value, text: str) -> None:
    assert literal(value) == text


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -float("inf")])
def test_a_number_that_sql_cannot_write_is_refused(value: float) -> None:
    with pytest.raises(ValueError, match="no literal"):
        literal(value)


@pytest.mark.parametrize("value", [b"x", {"a": 1}, {1}])
def test_a_value_of_another_type_is_refused(value: object) -> None:
    with pytest.raises(TypeError, match=type(value).__name__):
        literal(value)  # type: ignore[arg-type]


@pytest.mark.parametrize("value", [None, ["a"], b"x"])
def test_an_option_has_a_text_or_a_number(value: Option) -> None:
    with pytest.raises(TypeError, match="text or a number"):
        option_text(value)
    with pytest.raises(TypeError, match="text or a number"):
        properties({"owner": value})


def test_every_part_of_a_name_is_quoted() -> None:
    assert identifier("lake", "odd.name", "a`b") == "`lake`.`odd.name`.`a``b`"


def test_arguments_that_are_none_are_left_out_of_a_call() -> None:
    text = call("lake", "list_files", table_name="t", schema=None, snapshot_version=0)

    assert text == "CALL `lake`.`system`.`list_files`(table_name => 't', snapshot_version => 0)"


def test_no_moment_is_no_clause() -> None:
    assert as_of(None, None) == ""


def test_a_moment_is_a_version_or_a_time() -> None:
    with pytest.raises(ValueError, match="not both"):
        as_of(1, "2026-01-31")
