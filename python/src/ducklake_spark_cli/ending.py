"""How a command ends when it cannot do what it was asked."""

from __future__ import annotations

import click

from ducklake_spark_catalog.failure import Failure, RunAgain

FAILED = click.ClickException.exit_code


class _Again(click.ClickException):
    """Others were at work: the same command may do it next time."""

    exit_code = 3


def ending(failure: Failure) -> click.ClickException:
    """The end of a command that fails: a message without a trace of calls, and its exit code."""
    kind = _Again if isinstance(failure, RunAgain) else click.ClickException
    return kind(str(failure))
