"""The command that shows a lake."""

from __future__ import annotations

import shlex
import shutil
import sys
from collections.abc import Iterator, Mapping, Sequence
from textwrap import wrap

import click

from ducklake_spark_catalog import redaction
from ducklake_spark_catalog.failure import Failure
from ducklake_spark_catalog.places import Place
from ducklake_spark_cli import output
from ducklake_spark_cli.options import named_config, on_a_lake

UPKEEP_IS_DUE = 4
"""The exit code of `report --exit-code` when a step of upkeep is worth doing."""

_COLOURS = {"worth doing": "yellow", "nothing to do": "green"}
_INDENT = " " * 15
_WIDEST = 110


@click.command()
@click.option("--html", metavar="FILE", help="Write one page with pictures, for any browser.")
@click.option("--exit-code", is_flag=True, help="End with exit code 4 when upkeep is due.")
@on_a_lake
@click.pass_context
def report(
    context: click.Context, html: str | None, exit_code: bool, place: Place, as_json: bool
) -> None:
    """Show what upkeep would gain; with --html, all about the lake as one page.

    The page needs no network. It is made without Spark, and no data file is opened.
    """
    import ducklake_spark_report
    from ducklake_spark_report import upkeep

    if html is None:
        facts = ducklake_spark_report.facts_of(place)
    else:
        made = ducklake_spark_report.report(place)
        facts = made.facts
        try:
            written = made.save(html)
        except OSError as failure:
            raise Failure(f"The page cannot be written to {html}: {failure.strerror}.") from failure
        click.echo(f"Written: {written}", err=True)
    lake = _lake(context, place)
    rows = [
        {
            "step": each.name,
            "verdict": each.verdict,
            "found": each.found,
            "gain": each.gain,
            "command": f"{each.command}{lake}",
            **({"call": each.call} if as_json else {}),
        }
        for each in upkeep.steps(facts, "lake")
    ]
    if sys.stdout.isatty() and not as_json:
        _tell(rows)
    else:
        output.show(rows, as_json=as_json, empty="")
    if exit_code and any(row["verdict"] == "worth doing" for row in rows):
        context.exit(UPKEEP_IS_DUE)


def _lake(context: click.Context, place: Place) -> str:
    """The options by which a command finds the same lake; none for an address with a secret."""
    name = place.profile or place.uri
    if redaction.shown(name) != name:
        return ""
    config = named_config(context, context.params.get("config"))
    given = ["--lake", name, *(["--config", config] if config and place.profile else [])]
    return f" {shlex.join(given)}"


def _tell(rows: Sequence[Mapping[str, str]]) -> None:
    """Print steps for a terminal: words stay whole, and the command stands on a line of its own."""
    width = min(shutil.get_terminal_size().columns, _WIDEST)
    for row in rows:
        verdict = click.style(f"{row['verdict']:<15}", fg=_COLOURS.get(row["verdict"]))
        click.echo(verdict + click.style(row["step"], bold=True))
        for line in _lines(row, width):
            click.echo(_INDENT + line)


def _lines(row: Mapping[str, str], width: int) -> Iterator[str]:
    text = output.visible(f"{row['found']} {row['gain']}".strip())
    yield from wrap(text, max(width - len(_INDENT), 20), break_on_hyphens=False)
    if row["verdict"] != "nothing to do":
        yield f"-> {output.visible(row['command'])}"
