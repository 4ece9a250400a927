"""The command `ducklake-spark` and its subcommands."""

from __future__ import annotations

import os
import sys
from io import TextIOWrapper

import click
from click.shell_completion import get_completion_class

from ducklake_spark_catalog.failure import Failure
from ducklake_spark_cli import doctor, reading, report, rows, upkeep
from ducklake_spark_cli.ending import ending
from ducklake_spark_cli.options import completions

PROGRAM = "ducklake-spark"
_VARIABLE = "_DUCKLAKE_SPARK_COMPLETE"


class _Commands(click.Group):
    """Commands that print failures, and whose list says what each does in a whole sentence."""

    def invoke(self, ctx: click.Context) -> object:
        """Run a command; a failure ends it with a message."""
        try:
            return super().invoke(ctx)
        except Failure as failure:
            raise ending(failure) from failure

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The list of commands; click itself cuts the sentences off at the end of the line."""
        rows = [
            (name, command.get_short_help_str(limit=10_000))
            for name, command in sorted(self.commands.items())
        ]
        with formatter.section("Commands"):
            formatter.write_dl(rows)


@click.group(
    cls=_Commands,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.option(
    "-l",
    "--lake",
    metavar="ADDRESS|PROFILE",
    envvar="DUCKLAKE_LAKE",
    shell_complete=completions,
    help="The lake.",
)
@click.option("--config", metavar="FILE", help="TOML file with profiles of lakes.")
@click.version_option(package_name="ducklake-spark", prog_name=PROGRAM)
def cli(lake: str | None, config: str | None) -> None:
    """Look at a DuckLake lake, keep it in order, and bring it back.

    The lake is named by --lake (also behind the command), by the variable DUCKLAKE_LAKE, or by the
    default profile of ducklake-spark.toml. The commands snapshots, tables, describe, history,
    files, options, report and doctor do not start Spark.

    Exit codes: 0 done, 1 failed, 2 wrong use, 3 others were at work: run it again, 4 upkeep is due
    (report --exit-code).
    """


@click.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion(shell: str) -> None:
    """Print what makes SHELL complete commands and profiles.

    For bash, for example, put eval "$(ducklake-spark completion bash)" into ~/.bashrc.
    """
    kind = get_completion_class(shell)
    if kind is None:
        raise click.UsageError(f"{shell} is not known")
    click.echo(kind(cli, {}, PROGRAM, _VARIABLE).source())


for command in (
    *(*reading.COMMANDS, report.report, *upkeep.COMMANDS, *rows.COMMANDS),
    *(doctor.doctor, completion),
):
    cli.add_command(command)


def run() -> None:
    """Run the command that the arguments name."""
    if isinstance(sys.stdout, TextIOWrapper):
        # A character that the terminal does not have is shown by its number.
        sys.stdout.reconfigure(errors="backslashreplace")
    is_plain = bool(os.environ.get("NO_COLOR")) or os.environ.get("TERM") == "dumb"
    try:
        cli(prog_name=PROGRAM, complete_var=_VARIABLE, color=False if is_plain else None)
    except OSError as failure:
        # Python writes at its end what it could not write before.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(f"Error: {failure}")
