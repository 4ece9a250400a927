"""Options that several commands have."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import click
from click.shell_completion import CompletionItem

from ducklake_spark_catalog import keys
from ducklake_spark_catalog.places import Place
from ducklake_spark_cli import profiles
from ducklake_spark_cli.output import Limit

Command = Callable[..., None]


def lake_options(command: Command) -> Command:
    """`--lake`, `--config` and `--json`, which the command gets as lake, config and as_json."""
    for option in (
        click.option("--json", "as_json", is_flag=True, help="Print JSON, for scripts."),
        click.option("--config", metavar="FILE", help="TOML file with profiles of lakes."),
        click.option(
            "-l",
            "--lake",
            metavar="ADDRESS|PROFILE",
            shell_complete=completions,
            help="The lake.",
        ),
    ):
        command = option(command)
    return command


def on_a_lake(command: Command) -> Command:
    """The same options; the command gets the lake that they name as `place`."""

    @wraps(command)
    @click.pass_context
    def wrapped(context: click.Context, /, **given: Any) -> None:  # noqa: ANN401
        place = chosen(context, given.pop("lake"), given.pop("config"))
        keys.check(place)
        command(place=place, **given)

    return lake_options(wrapped)


def chosen(context: click.Context, lake: str | None, config: str | None) -> Place:
    """The lake that a command works on: what stands behind the command goes first.

    Raises:
        Failure: none is named, or there is no such profile.
    """
    before = context.find_root().params
    return profiles.place(lake or before.get("lake"), named_config(context, config))


def named_config(context: click.Context, config: str | None) -> str | None:
    """The file of profiles that is named behind the command, or else before it."""
    before: str | None = context.find_root().params.get("config")
    return config or before


no_progress = click.option("--no-progress", is_flag=True, help="Show no bar.")
schema = click.option("--schema", metavar="NAME", help="The schema of the table, or of all.")


def limit(usual: int) -> Callable[[Command], Command]:
    """`--limit` of a command with `--json`, which gets it as an `output.Limit`.

    Args:
        usual: how many rows people get who ask for no number; scripts get all.
    """
    option = click.option(
        "--limit",
        type=click.IntRange(min=0),
        metavar="N",
        help=f"Rows to show; 0 shows all.  [default: {usual}; all with --json]",
    )

    def limited(command: Command) -> Command:
        @wraps(command)
        def wrapped(*, limit: int | None, as_json: bool, **given: Any) -> None:  # noqa: ANN401
            most = (0 if as_json else usual) if limit is None else limit
            command(limit=Limit(most), as_json=as_json, **given)

        return option(wrapped)

    return limited


def completions(
    context: click.Context, parameter: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """What completes `--lake` in a shell: the profiles of the file that `--config` names."""
    before = context.find_root().params.get("config")
    known = profiles.names(context.params.get("config") or before)
    return [CompletionItem(name) for name in known if name.startswith(incomplete)]
