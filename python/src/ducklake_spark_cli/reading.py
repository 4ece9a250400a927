"""Commands that read the catalog alone, without Spark."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import click

from ducklake_spark_catalog import database
from ducklake_spark_catalog.catalog import Catalog, catalog
from ducklake_spark_catalog.data_folder import data_folder
from ducklake_spark_catalog.failure import Failure
from ducklake_spark_catalog.moments import moment
from ducklake_spark_catalog.places import Place
from ducklake_spark_cli import output, shape
from ducklake_spark_cli.options import limit, on_a_lake
from ducklake_spark_cli.output import Limit

_at = click.option(
    "--at",
    type=click.IntRange(0, 2**63 - 1),
    metavar="SNAPSHOT",
    help="At a snapshot, instead of that of the profile or the newest.",
)


@click.command()
@limit(20)
@on_a_lake
def snapshots(limit: Limit, place: Place, as_json: bool) -> None:
    """List snapshots, the newest first, with what each changed."""
    with _catalog(place) as found:
        rows = found.snapshots(limit.asked)
    output.show(rows, as_json=as_json, empty="No snapshot.", limit=limit)


@click.command()
@_at
@on_a_lake
def tables(at: int | None, place: Place, as_json: bool) -> None:
    """List tables with their rows, and the number and size of their files.

    Rows are counted at the newest snapshot alone; inlined rows are those that are in no file yet.
    """
    from ducklake_spark_report import counting

    with _catalog(place) as found:
        snapshot = _snapshot(found, at, place)
        rows = counting.with_rows(found, found.tables(snapshot), snapshot)
    output.show(rows, as_json=as_json, empty="No table.")


@click.command()
@click.argument("table")
@_at
@on_a_lake
def files(
    table: str,
    at: int | None,
    place: Place,
    as_json: bool,
) -> None:
    """List the data files of TABLE with their delete files."""
    with _catalog(place) as found:
        snapshot = _snapshot(found, at, place)
        rows = found.files(found.table(table, snapshot), snapshot, data_folder(found, place).path)
    empty = "No file: the table is empty, or its rows are kept in the catalog."
    output.show(rows, as_json=as_json, empty=empty)


@click.command()
@click.argument("table")
@_at
@on_a_lake
def describe(table: str, at: int | None, place: Place, as_json: bool) -> None:
    """List the columns of TABLE with their types, its partition keys and its sort order."""
    with _catalog(place) as found:
        snapshot = _snapshot(found, at, place)
        number = int(found.table(table, snapshot)["table_id"])
        rows = shape.columns(found.database, number, snapshot)
    output.show(rows, as_json=as_json, empty="No column.")


@click.command()
@click.argument("table")
@limit(20)
@on_a_lake
def history(table: str, limit: Limit, place: Place, as_json: bool) -> None:
    """List the snapshots that changed TABLE, the newest first."""
    with _catalog(place) as found:
        rows = found.history(found.table(table, _snapshot(found, None, place)), limit.asked)
    output.show(rows, as_json=as_json, empty="No snapshot.", limit=limit)


@click.command()
@click.option("--all", "with_epochs", is_flag=True, help="Also what streams and readers keep.")
@on_a_lake
def options(with_epochs: bool, place: Place, as_json: bool) -> None:
    """List the options that are stored in the lake."""
    with _catalog(place) as found:
        rows = found.options(with_epochs=with_epochs)
        hidden = len(found.options()) - len(rows)
    if hidden:
        click.echo(f"Hidden: {hidden:,} of streams. The option --all shows them.", err=True)
    output.show(rows, as_json=as_json, empty="No option.")


def _snapshot(found: Catalog, at: int | None, place: Place) -> int:
    """The snapshot that a command is asked for, or that of the profile, or the newest.

    Raises:
        Failure: it is not there.
    """
    if at is not None:
        return found.check(at)
    version, time = place.text("snapshot-version"), place.text("snapshot-time")
    try:
        if version is not None:
            return found.check(int(version))
        return found.check(None) if time is None else found.at(moment(time))
    except Failure as failure:
        raise Failure(f"The snapshot of {place.origin}: {failure.why}", failure.mend) from failure
    except ValueError as failure:
        raise Failure(f"The snapshot of {place.origin}: {failure}.") from failure


@contextmanager
def _catalog(place: Place) -> Iterator[Catalog]:
    from ducklake_spark_report.asking import told_in_words

    with database.opened(place) as connection, told_in_words(connection.display):
        found = catalog(connection)
        if "data-path" in place.settings:
            data_folder(found, place)  # refuses another path than the stored one
        yield found


COMMANDS = (snapshots, tables, describe, history, files, options)
