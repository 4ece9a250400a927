"""Commands for rows: SQL, changes, files added, and the way back."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any

import click

from ducklake_spark_catalog.moments import moment
from ducklake_spark_catalog.texts import constant
from ducklake_spark_cli.options import limit, no_progress, on_a_lake
from ducklake_spark_cli.upkeep import run

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from ducklake_spark import Lake


@click.command()
@click.argument("statement")
@limit(100)
@no_progress
@on_a_lake
def sql(statement: str, **common: Any) -> None:  # noqa: ANN401
    """Run one STATEMENT of Spark's SQL; the lake is called lake, and is the current catalog."""
    run(
        lambda lake, _: lake.spark.sql(statement),
        empty="No row.",
        bar="sql",
        **common,
    )


@click.command()
@click.argument("table")
@click.option("--from", "start", type=int, required=True, metavar="N", help="The first snapshot.")
@click.option("--to", "end", type=int, metavar="N", help="The last; the newest when left out.")
@limit(100)
@no_progress
@on_a_lake
def changes(
    table: str,
    start: int,
    end: int | None,
    **common: Any,  # noqa: ANN401
) -> None:
    """Show the rows that snapshots inserted into TABLE, updated, and deleted from it."""
    run(
        lambda lake, _: lake.changes(table, start, end).orderBy(
            "snapshot_id", "rowid", "change_type"
        ),
        empty="No change.",
        bar="changes",
        **common,
    )


@click.command("add-files")
@click.argument("table")
@click.argument("paths", nargs=-1, required=True)
@click.option("--allow-missing", is_flag=True, help="Files may lack columns of the table.")
@click.option("--ignore-extra-columns", is_flag=True, help="Files may have more columns.")
@click.option("--no-hive-partitioning", is_flag=True, help="Folders key=value give no values.")
@no_progress
@on_a_lake
def add_files(
    table: str,
    paths: tuple[str, ...],
    allow_missing: bool,
    ignore_extra_columns: bool,
    no_hive_partitioning: bool,
    **common: Any,  # noqa: ANN401
) -> None:
    """Make Parquet files, folders or patterns PATHS data files of TABLE, where they are."""
    run(
        lambda lake, progress: lake.add_data_files(
            table,
            paths,
            allow_missing=allow_missing,
            ignore_extra_columns=ignore_extra_columns,
            hive_partitioning=not no_hive_partitioning,
            progress=progress,
        ),
        empty="No file with rows.",
        **common,
    )


@click.command()
@click.argument("table", required=False)
@click.option("--version", type=int, metavar="N", help="The snapshot to go back to.")
@click.option("--time", type=moment, metavar="TIME", help="The moment to go back to; UTC.")
@click.option("--whole-lake", is_flag=True, help="Instead of TABLE: everything goes back.")
@no_progress
@on_a_lake
def rollback(
    table: str | None,
    version: int | None,
    time: datetime | None,
    whole_lake: bool,
    **common: Any,  # noqa: ANN401
) -> None:
    """Make TABLE, or the whole lake, what it was at a past snapshot; history stays."""
    if (version is None) == (time is None):
        raise click.UsageError("Give --version or --time.")
    if (table is None) != whole_lake:
        raise click.UsageError("Give TABLE or --whole-lake.")

    def work(lake: Lake, progress: bool | None) -> DataFrame:
        return lake.rollback_to_snapshot(table, version, snapshot_time=time, progress=progress)

    run(work, empty="Nothing changed.", **common)


@click.command()
@click.argument("snapshot", type=int)
@no_progress
@on_a_lake
def undo(snapshot: int, **common: Any) -> None:  # noqa: ANN401
    """Take back what the commit of SNAPSHOT did to its tables, as a new snapshot; history stays."""
    run(
        lambda lake, progress: lake.undo_commit(snapshot, progress=progress),
        empty="Nothing changed.",
        **common,
    )


@click.command("set-option")
@click.argument("option")
@click.argument("value")
@click.option("--table", metavar="NAME", help="For this table.")
@click.option("--schema", metavar="NAME", help="For this schema, or the schema of the table.")
@on_a_lake
def set_option(
    option: str,
    value: str,
    table: str | None,
    schema: str | None,
    **common: Any,  # noqa: ANN401
) -> None:
    """Store VALUE of OPTION for the lake, a schema or a table; the command options lists them."""

    def work(lake: Lake, _: bool | None) -> DataFrame:
        lake.set_option(option, value, schema=schema, table_name=table)
        return lake.options().where(f"option_name = {constant(option.lower())}")

    run(work, empty="Done.", **common)


COMMANDS = (sql, changes, add_files, rollback, undo, set_option)
