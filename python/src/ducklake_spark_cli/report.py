"""The command that shows a lake."""

from __future__ import annotations

import click

from ducklake_spark_cli import output
from ducklake_spark_cli.failure import Failure
from ducklake_spark_cli.options import on_a_lake
from ducklake_spark_cli.places import Place


@click.command()
@click.option("--html", metavar="FILE", help="Write one page with pictures, for any browser.")
@on_a_lake
def report(html: str | None, place: Place, as_json: bool) -> None:
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
    rows = [
        {
            "step": each.name,
            "verdict": each.verdict,
            "found": each.found,
            "gain": each.gain,
            "call": each.call,
        }
        for each in upkeep.steps(facts, "lake")
    ]
    output.show(rows, as_json=as_json, empty="")
