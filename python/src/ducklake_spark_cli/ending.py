"""How a command ends when it cannot do what it was asked."""

from __future__ import annotations

import click

from ducklake_spark_catalog.failure import Failure, RunAgain
from ducklake_spark_cli.output import visible

FAILED = click.ClickException.exit_code


class _Again(click.ClickException):
    """Others were at work: the same command may do it next time."""

    exit_code = 3


def ending(failure: Failure) -> click.ClickException:
    """The end of a command that fails: a message without a trace of calls, and its exit code.

    A terminal obeys no sign of the message, which may have names of a file or a lake.
    """
    kind = _Again if isinstance(failure, RunAgain) else click.ClickException
    return kind("\n".join(map(visible, str(failure).split("\n"))))
