"""The command that looks for what is wrong."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict

import click

from ducklake_spark_catalog import keys
from ducklake_spark_catalog.failure import Failure
from ducklake_spark_catalog.places import Place
from ducklake_spark_cli import checks, output
from ducklake_spark_cli.ending import FAILED
from ducklake_spark_cli.finding import Finding, State
from ducklake_spark_cli.options import chosen, lake_options, named_config
from ducklake_spark_cli.profiles import NotNamed


@click.command()
@click.option("--spark", "with_spark", is_flag=True, help="Also start Spark, and open the lake.")
@lake_options
@click.pass_context
def doctor(
    context: click.Context, /, with_spark: bool, lake: str | None, config: str | None, as_json: bool
) -> None:
    """Look at Java, jars, versions, settings and rights; each finding with its mend.

    It ends with exit code 1 when something is wrong. Without a lake it looks at the machine alone.
    """
    findings = [*checks.of_the_machine()]
    try:
        place = chosen(context, lake, config)
    except Failure as failure:
        is_wrong = with_spark or not isinstance(failure, NotNamed)
        state: State = "wrong" if is_wrong else "ok"
        findings.append(Finding("lake", state, failure.why, failure.mend.partition("\n")[0]))
    else:
        findings += checks.of_the_profile(place, named_config(context, config))
        findings += _of_the_lake(place, with_spark=with_spark)
    if as_json:
        output.show([asdict(each) for each in findings], as_json=True, empty="")
    else:
        _tell(findings)
    context.exit(FAILED if any(each.state == "wrong" for each in findings) else 0)


def _of_the_lake(place: Place, *, with_spark: bool) -> Iterator[Finding]:
    """The settings, and where Spark would take them, what they lead to."""
    try:
        keys.check(place)
    except Failure as failure:
        yield Finding("settings", "wrong", failure.why, failure.mend)
        return
    if place.settings:
        yield Finding("settings", "ok", ", ".join(sorted(place.settings)))
    yield from checks.of_the_lake(place)
    if with_spark:
        yield _spark(place)


def _spark(place: Place) -> Finding:
    from ducklake_spark_cli import spark

    try:
        with spark.opened(place) as lake:
            (row,) = lake.settings().collect()
    except Failure as failure:
        return Finding("Spark", "wrong", failure.why, failure.mend)
    return Finding("Spark", "ok", f"opens {row.address}")


def _tell(findings: list[Finding]) -> None:
    colours = {"ok": "green", "warning": "yellow", "wrong": "red"}
    for each in findings:
        click.echo(f"{click.style(f'{each.state:<8}', fg=colours[each.state])}", nl=False)
        click.echo(f"{each.check}: {output.visible(each.found)}")
        if each.mend:
            click.echo(f"{'':<8}-> {output.visible(each.mend)}")
