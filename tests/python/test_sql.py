"""SQL text: names, values and calls."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone

import pytest
from ducklake_spark._sql import as_of, call, identifier, literal


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "NULL"),
        (True, "true"),
        (7, "7"),
        ("plain", "'plain'"),
        ("it's", r"'it\'s'"),
        (r"back\slash", r"'back\\slash'"),
        (datetime(2026, 1, 31, 1, 2, 3, 4), "TIMESTAMP '2026-01-31 01:02:03.000004'"),
        (
            datetime(2026, 1, 31, tzinfo=timezone(timedelta(hours=2))),
            "TIMESTAMP '2026-01-31 00:00:00+02:00'",
        ),
    ],
)
def test_values_are_literals(value: bool | int | str | datetime | None, text: str) -> None:
    assert literal(value) == text


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
