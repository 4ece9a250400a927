"""The page of a report: one document, everything in it, no script."""

from __future__ import annotations

from collections import Counter
from importlib.resources import files
from statistics import median

from ducklake_spark_catalog.units import size
from ducklake_spark_report import charts, history, svg
from ducklake_spark_report.charts import Chart
from ducklake_spark_report.facts import Facts, Table
from ducklake_spark_report.markup import (
    Cell,
    Html,
    Time,
    bar,
    code,
    paragraph,
    section,
    table,
    text,
)
from ducklake_spark_report.survey import MOST_COMMITS
from ducklake_spark_report.upkeep import Step, call, steps
from ducklake_spark_report.words import count, moment, share

MOST_TABLES = 30
MOST_SKEWED = 15
MOST_AUTHORS = 10
MOST_RECENT = 20
_MOST_CHANGES = 5
_PILLS = {"worth doing": "do", "nothing to do": "done", "your choice": "open", "not known": "open"}

_POLICY = "default-src 'none'; style-src 'unsafe-inline'"


def page(facts: Facts, catalog: str, made_by: str) -> str:
    """The report as HTML.

    Args:
        facts: what it says.
        catalog: what the lake is called in the statements that it advises.
        made_by: program and version.
    """
    advice = steps(facts, catalog)
    title = f"Lake {text(facts.address)}, snapshot {facts.snapshot}"
    css = files("ducklake_spark_report").joinpath("page.css").read_text(encoding="utf-8")
    parts = (
        _tiles(facts),
        section("upkeep", "Upkeep", _upkeep(advice, catalog)),
        section("growth", "Growth", *_growth(facts)),
        section("tables", "Tables", *_tables(facts)),
        section("sizes", "Sizes of files", _figure(charts.sizes(facts.sizes), (1, 2))),
        section("partitions", "Partitions", *_partitions(facts)),
        section("commits", "Commits", *_commits(facts)),
        section("recent", "Recent changes", _recent(facts)),
    )
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="{_POLICY}">
<title>{title}</title>
<style>
{css}</style>
</head>
<body>
<header>
<h1>Lake {text(facts.address, 300)}</h1>
<p>Snapshot {facts.snapshot} of {moment(facts.time)}, catalog version {text(facts.version)},
files in {text(facts.data_path, 300)}</p>
</header>
<main>
{"".join(parts)}
</main>
<footer>
<p>{_bounds()} Numbers are those of the catalog: no data file was opened.
Made by {text(made_by)}.</p>
</footer>
</body>
</html>
"""


def _bounds() -> str:
    return (
        f"Shown are the {MOST_TABLES} largest tables, the {MOST_SKEWED} with the most uneven "
        f"partitions, {MOST_AUTHORS} authors, the newest {MOST_COMMITS:,} snapshots, and growth at "
        f"{history.MOST_POINTS} of them."
    )


def _tiles(facts: Facts) -> str:
    tables = facts.tables
    whole, number = sum(each.size for each in tables), sum(each.files for each in tables)
    rows, in_files = (sum(each.rows for each in tables), sum(each.rows_in_files for each in tables))
    deleted = sum(each.deleted for each in tables)
    small = sum(each.below_target for each in tables)
    mergeable = sum(each.compactable for each in tables)
    left_out = sum(each.compactable for each in tables if not each.is_compacted)
    more = f", {left_out:,} left out by auto_compact" if left_out else ""
    inlined = sum(each.inlined_rows for each in tables)
    tiles = (
        ("Tables", f"{len(tables):,}", ""),
        ("Rows", f"{rows:,}", ""),
        ("Live data", size(whole), count(number, "data file")),
        ("A file has", size(whole / number) if number else "0 B", "on average"),
        (
            "Small files",
            f"{small:,} of {number:,}",
            f"{mergeable - left_out:,} can be merged{more}",
        ),
        ("Deleted rows", share(deleted, in_files), f"{deleted:,} in data files"),
        ("In the catalog", f"{inlined:,}", "rows that are in no file yet"),
        ("Snapshots", f"{facts.snapshots:,}", ""),
    )
    inside = "".join(
        f"<div><dt>{text(name)}</dt><dd>{text(value)}<small>{text(more)}</small></dd></div>"
        for name, value, more in tiles
    )
    return f"<dl class='tiles'>{inside}</dl>"


def _upkeep(advice: tuple[Step, ...], catalog: str) -> str:
    items = "".join(f"<li>{_step(each)}</li>" for each in advice)
    whole = code(f"{call(catalog, 'checkpoint')}()").markup
    return f"<p class='note'>All steps in one call: {whole}</p><ol class='steps'>{items}</ol>"


def _step(step: Step) -> str:
    tables = ""
    if step.tables:
        rows = [(name, code(call)) for name, call in step.tables]
        listed = table(f"{step.name} of one table", ("table", "statement"), rows, ())
        tables = f"<details><summary>Of one table</summary>{listed}</details>"
    return (
        f"<h3>{text(step.name)} "
        f"<span class='pill {_PILLS[step.verdict]}'>{step.verdict}</span></h3>"
        f"<p>{text(step.found, 300)} {text(step.gain, 300)}</p>"
        f"<div class='calls'>{code(step.call).markup}{code(step.command).markup}</div>{tables}"
    )


def _figure(chart: Chart, numbers: tuple[int, ...]) -> str:
    picture = svg.inline(chart.figure, chart.title)
    rows = table(
        chart.title, chart.headings, [tuple(map(_plain, row)) for row in chart.rows], numbers
    )
    return (
        f"<figure><div class='chart' tabindex='0'>{picture}</div>"
        "<p class='swipe'>Swipe the chart to see the rest of it.</p>"
        f"<figcaption>{text(chart.title)}</figcaption></figure>"
        f"<details><summary>As a table</summary>{rows}</details>"
    )


def _plain(value: object) -> Cell:
    return value if isinstance(value, (int, str)) else str(value)


def _growth(facts: Facts) -> tuple[str, ...]:
    if len(facts.growth) < 2:
        return (paragraph("There is one snapshot: nothing has grown yet."),)
    note = (
        "As the catalog records it today: files that were merged since count as merged from the "
        "beginning, and what expired is forgotten."
    )
    return paragraph(note), _figure(charts.growth(facts.growth), (1, 2))


def _tables(facts: Facts) -> tuple[str, ...]:
    if not facts.tables:
        return (paragraph("There is no table."),)
    largest = max(each.size for each in facts.tables)
    shown = facts.tables[:MOST_TABLES]
    headings = (
        "table",
        "rows",
        "size",
        "files",
        "a file has",
        "small files",
        "deleted",
        "inlined rows",
    )
    rows = [_table_row(each, largest) for each in shown]
    more = facts.tables[MOST_TABLES:]
    note = (
        f"And {count(len(more), 'smaller table')} with {size(sum(each.size for each in more))} in "
        f"{count(sum(each.files for each in more), 'file')}."
        if more
        else ""
    )
    return table("Tables, the largest first", headings, rows, range(1, 8)), note and paragraph(note)


def _table_row(each: Table, largest: int) -> tuple[Cell, ...]:
    return (
        f"{each.schema}.{each.name}",
        each.rows,
        bar(size(each.size), each.size, largest),
        each.files,
        size(each.size / each.files) if each.files else "",
        each.below_target,
        share(each.deleted, each.rows_in_files) if each.files else "",
        each.inlined_rows or "",
    )


def _partitions(facts: Facts) -> tuple[str, ...]:
    parted = [each for each in facts.tables if any(part.label for part in each.partitions)]
    if not parted:
        return (paragraph("No table has partitions."),)
    skewed = sorted(parted, key=_skew, reverse=True)[:MOST_SKEWED]
    headings = ("table", "partitions", "a partition has", "largest", "times as much", "which is")
    rows: list[tuple[Cell, ...]] = []
    for each in skewed:
        largest = max(each.partitions, key=lambda part: part.size)
        rows.append(
            (
                f"{each.schema}.{each.name}",
                len(each.partitions),
                size(_middle(each)),
                bar(size(largest.size), largest.size, each.size),
                f"{_skew(each):,.1f}",
                largest.label or "files without partition",
            )
        )
    note = (
        "The most uneven first: how much larger the largest partition is than the one in the "
        "middle. The bar is its share of the table."
    )
    return paragraph(note), table("Partitions of tables", headings, rows, range(1, 5))


def _middle(each: Table) -> float:
    return median(part.size for part in each.partitions)


def _skew(each: Table) -> float:
    return max(part.size for part in each.partitions) / max(_middle(each), 1)


def _commits(facts: Facts) -> tuple[str, ...]:
    by_author = Counter(each.author for each in facts.commits)
    last = {each.author: each.time for each in reversed(facts.commits)}
    kinds = {
        name: Counter(each.kind for each in facts.commits if each.author == name)
        for name, _ in by_author.most_common(MOST_AUTHORS)
    }
    rows: list[tuple[Cell, ...]] = [
        (
            name or Html("<i>no author</i>"),
            bar(f"{by_author[name]:,}", by_author[name], len(facts.commits)),
            ", ".join(f"{kind} {number:,}" for kind, number in counted.most_common()),
            Time(moment(last[name])),
        )
        for name, counted in kinds.items()
    ]
    more = len(by_author) - len(rows)
    headings = ("author", "commits", "of them", "last")
    return (
        _figure(charts.activity(facts.commits), (1,)),
        table("Authors of commits", headings, rows, [1]),
        paragraph(f"And {count(more, 'other author')}.") if more > 0 else "",
    )


def _recent(facts: Facts) -> str:
    rows = []
    for each in facts.commits[:MOST_RECENT]:
        more = len(each.changes) - _MOST_CHANGES
        changes = ", ".join(each.changes[:_MOST_CHANGES])
        who = f"{each.author}: {each.message}" if each.author and each.message else ""
        rows.append(
            (
                str(each.id),
                Time(moment(each.time)),
                changes + (f" and {more:,} more" if more > 0 else ""),
                who or each.author or each.message,
            )
        )
    return table(
        "The newest snapshots", ("snapshot", "time", "changes", "author and message"), rows, ()
    )
