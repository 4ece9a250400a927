"""Commands that keep a lake in order."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, Any

import click

from ducklake_spark_catalog.moments import moment_or_age
from ducklake_spark_catalog.places import Place
from ducklake_spark_cli import output
from ducklake_spark_cli.options import no_progress, on_a_lake, schema
from ducklake_spark_cli.output import ALL, Limit

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from ducklake_spark import Lake

_table = click.argument("table", required=False)
_where = click.option(
    "--where", metavar="CONDITION", help="Only files of TABLE that may hold such rows."
)
_dry_run = click.option("--dry-run", is_flag=True, help="Change nothing; show what would go.")
_older_than = click.option(
    "--older-than",
    type=moment_or_age,
    metavar="TIME|AGE",
    help="Before this time, UTC without a zone; or longer ago than this, such as '7 days'.",
)


def run(
    work: Callable[[Lake, bool | None], DataFrame],
    *,
    empty: str,
    place: Place,
    as_json: bool,
    no_progress: bool = False,
    limit: Limit = ALL,
    bar: str | None = None,
) -> None:
    """Call something of a lake in Spark, and print its rows.

    Args:
        work: gets the lake and what `progress` of its methods is to be.
        empty: what to say where there is no row.
        place: the lake.
        as_json: whether it is for a script.
        no_progress: whether there is no bar.
        limit: how many rows to show.
        bar: what stands before the bar, where the work has none of its own: the rows are computed
            when they are collected.
    """
    from ducklake_spark_cli import spark, values

    wanted = False if no_progress else None
    with spark.opened(place) as opened, spark.shown(opened, bar, wanted):
        found = work(opened, wanted)
        rows = spark.collected(found.limit(limit.asked) if limit.asked else found)
        shown = values.rows_of(rows, found.schema)
    output.show(shown, as_json=as_json, empty=empty, limit=limit, style=output.AS_IT_IS)


@click.command()
@_table
@schema
@click.option("--max-files", type=int, metavar="N", help="At most so many new files of a table.")
@click.option("--min-size", type=int, metavar="BYTES", help="Leave smaller files alone.")
@click.option("--max-size", type=int, metavar="BYTES", help="Leave files of this size alone.")
@click.option("--apply-deletes", is_flag=True, help="Merge files with deleted rows, too.")
@_where
@no_progress
@on_a_lake
def compact(
    table: str | None,
    schema: str | None,
    max_files: int | None,
    min_size: int | None,
    max_size: int | None,
    apply_deletes: bool,
    where: str | None,
    **common: Any,  # noqa: ANN401
) -> None:
    """Merge small files of TABLE, or of all tables, into larger ones."""
    run(
        lambda lake, progress: lake.merge_adjacent_files(
            table,
            schema=schema,
            max_compacted_files=max_files,
            min_file_size=min_size,
            max_file_size=max_size,
            apply_deletes=apply_deletes,
            where=where,
            progress=progress,
        ),
        empty="Nothing to merge.",
        **common,
    )


@click.command()
@_table
@schema
@click.option("--threshold", type=float, metavar="SHARE", help="Of deleted rows, from 0 to 1.")
@_where
@no_progress
@on_a_lake
def rewrite(
    table: str | None,
    schema: str | None,
    threshold: float | None,
    where: str | None,
    **common: Any,  # noqa: ANN401
) -> None:
    """Write files with many deleted rows of TABLE, or of all tables, anew."""
    run(
        lambda lake, progress: lake.rewrite_data_files(
            table, schema=schema, delete_threshold=threshold, where=where, progress=progress
        ),
        empty="Nothing to rewrite.",
        **common,
    )


@click.command()
@_table
@schema
@no_progress
@on_a_lake
def flush(
    table: str | None,
    schema: str | None,
    **common: Any,  # noqa: ANN401
) -> None:
    """Move rows of TABLE, or of all tables, from the catalog into files."""
    run(
        lambda lake, progress: lake.flush_inlined_data(
            table, schema_name=schema, progress=progress
        ),
        empty="Nothing to flush.",
        **common,
    )


@click.command()
@_older_than
@click.option("--version", "versions", type=int, multiple=True, metavar="N", help="By its number.")
@_dry_run
@no_progress
@on_a_lake
def expire(
    older_than: datetime | str | None,
    versions: tuple[int, ...],
    dry_run: bool,
    **common: Any,  # noqa: ANN401
) -> None:
    """Remove old snapshots: as the option expire_older_than says, by age, or by number."""
    run(
        lambda lake, progress: lake.expire_snapshots(
            older_than=older_than, versions=versions or None, dry_run=dry_run, progress=progress
        ),
        empty="No snapshot expires.",
        **common,
    )


_all_files = click.option("--all", "all_files", is_flag=True, help="However new they are.")


@click.command()
@_older_than
@_all_files
@click.option(
    "--outside-data-path",
    is_flag=True,
    help="Also files that are not below the data path, such as registered ones.",
)
@_dry_run
@no_progress
@on_a_lake
def cleanup(
    older_than: datetime | str | None,
    all_files: bool,
    outside_data_path: bool,
    dry_run: bool,
    **common: Any,  # noqa: ANN401
) -> None:
    """Delete files that are scheduled for deletion."""
    run(
        lambda lake, progress: lake.cleanup_old_files(
            older_than=older_than,
            cleanup_all=all_files,
            outside_data_path=outside_data_path,
            dry_run=dry_run,
            progress=progress,
        ),
        empty="No file to delete.",
        **common,
    )


@click.command()
@_older_than
@_all_files
@_dry_run
@no_progress
@on_a_lake
def orphans(
    older_than: datetime | str | None,
    all_files: bool,
    dry_run: bool,
    **common: Any,  # noqa: ANN401
) -> None:
    """Delete files that the catalog does not know: those of writers that were killed."""
    run(
        lambda lake, progress: lake.delete_orphaned_files(
            older_than=older_than, cleanup_all=all_files, dry_run=dry_run, progress=progress
        ),
        empty="No file to delete.",
        **common,
    )


@click.command()
@_table
@schema
@no_progress
@on_a_lake
def statistics(
    table: str | None,
    schema: str | None,
    **common: Any,  # noqa: ANN401
) -> None:
    """Compute the statistics of TABLE, or of all tables, from those of their files."""
    run(
        lambda lake, progress: lake.recompute_statistics(table, schema=schema, progress=progress),
        empty="No statistics changed.",
        **common,
    )


@click.command()
@click.option(
    "--inlined-tables",
    is_flag=True,
    help="Also empty inlined tables of past schema versions; let DuckDB attach the lake again.",
)
@_dry_run
@no_progress
@on_a_lake
def metadata(
    inlined_tables: bool,
    dry_run: bool,
    **common: Any,  # noqa: ANN401
) -> None:
    """Remove rows of the catalog that nothing needs and that no expiry removes."""
    run(
        lambda lake, progress: lake.cleanup_old_metadata(
            inlined_tables=inlined_tables, dry_run=dry_run, progress=progress
        ),
        empty="Nothing to remove.",
        **common,
    )


@click.command()
@no_progress
@on_a_lake
def vacuum(**common: Any) -> None:  # noqa: ANN401
    """Write the catalog database anew, so that it holds no bytes of removed rows."""
    run(lambda lake, progress: lake.vacuum_catalog(progress=progress), empty="Done.", **common)


@click.command()
@no_progress
@on_a_lake
def checkpoint(**common: Any) -> None:  # noqa: ANN401
    """Do all upkeep of the lake, as its options say: flush, expire, compact, rewrite, clean up."""
    run(lambda lake, progress: lake.checkpoint(progress=progress), empty="Done.", **common)


@click.command()
@click.option("--to", type=click.Choice(["1.0", "1.1"]), help="The version.  [default: 1.0]")
@no_progress
@on_a_lake
def migrate(to: str | None, place: Place, **common: Any) -> None:  # noqa: ANN401
    """Bring the catalog of a lake up to a newer version; older versions of DuckDB cannot read it.

    Make a copy of the catalog database first: there is no way back.
    """
    settings = {**place.settings, "automatic-migration": True}
    if to is not None:
        settings["ducklake-version"] = to
    before = _version(place)

    def work(lake: Lake, progress: bool | None) -> DataFrame:
        # The first call that may write migrates; no snapshot has this number.
        lake.expire_snapshots(versions=[-1], progress=progress)
        return lake.spark.createDataFrame([(before, _version(place))], "before STRING, now STRING")

    run(work, empty="", place=replace(place, settings=settings), **common)


def _version(place: Place) -> str:
    from ducklake_spark_catalog import database
    from ducklake_spark_catalog.catalog import catalog

    with database.opened(place) as connection:
        return catalog(connection).version


COMMANDS = (
    compact,
    rewrite,
    flush,
    expire,
    cleanup,
    orphans,
    statistics,
    metadata,
    vacuum,
    checkpoint,
    migrate,
)
