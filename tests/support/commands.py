"""Runs `ducklake-spark` in this process."""

from __future__ import annotations

import json
from typing import Any

from click.testing import CliRunner, Result
from ducklake_spark_cli.commands import cli


def command(*arguments: str) -> Result:
    """How a command ended, and what it printed."""
    return CliRunner().invoke(cli, arguments, prog_name="ducklake-spark")


def json_of(*arguments: str) -> list[dict[str, Any]]:
    """The rows of a command that works."""
    done = command(*arguments, "--json")
    assert done.exit_code == 0, done.output
    rows: list[dict[str, Any]] = json.loads(done.stdout)
    return rows
