"""The pictures of a report, drawn by matplotlib. No text of the catalog is drawn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.dates import AutoDateLocator, ConciseDateFormatter
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, MaxNLocator

from ducklake_spark_catalog.units import UNITS, size, unit
from ducklake_spark_report import history, svg
from ducklake_spark_report.facts import Commit, Point, SizeClass
from ducklake_spark_report.svg import COLOURS
from ducklake_spark_report.words import count, per

_WIDTH = 10.0
_STYLE = {
    "font.size": 10.5,
    "text.color": COLOURS["ink"],
    "axes.labelcolor": COLOURS["muted"],
    "axes.edgecolor": COLOURS["grid"],
    "axes.grid": True,
    "axes.grid.axis": "y",
    "axes.axisbelow": True,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.spines.left": False,
    "grid.color": COLOURS["grid"],
    "grid.linewidth": 0.8,
    "xtick.color": COLOURS["grid"],
    "ytick.color": COLOURS["grid"],
    "xtick.labelcolor": COLOURS["muted"],
    "ytick.labelcolor": COLOURS["muted"],
    "ytick.left": False,
    "legend.frameon": False,
    "figure.facecolor": "none",
    "axes.facecolor": "none",
    "svg.fonttype": "none",
    "timezone": "UTC",
}
_KIND_COLOURS = dict(zip(history.KINDS, ("blue", "amber", "violet", "teal", "grey"), strict=True))


@dataclass(frozen=True, repr=False)
class Chart:
    """A picture, and what it shows in a sentence and in numbers.

    A notebook shows it in the colours of its theme. `figure` is matplotlib's, to change and to save
    it.
    """

    figure: Figure
    title: str
    headings: tuple[str, ...]
    rows: tuple[tuple[object, ...], ...]

    def __repr__(self) -> str:
        """What the picture shows."""
        return f"<Chart {self.title}>"

    def _repr_html_(self) -> str:
        """The picture for a notebook."""
        return svg.inline(self.figure, self.title)


def growth(points: Sequence[Point]) -> Chart:
    """Bytes and files of the lake over time."""
    times = [each.time for each in points]
    with rc_context(_STYLE):
        figure = Figure(figsize=(_WIDTH, 3.6), layout="constrained")
        above, below = figure.subplots(2, 1, sharex=True, height_ratios=(3, 2))
        step = unit(max(each.size for each in points))
        scaled = [each.size / 1024**step for each in points]
        _area(above, times, scaled, "blue", "size of live data files")
        above.yaxis.set_major_locator(MaxNLocator(4))
        above.yaxis.set_major_formatter(FuncFormatter(lambda at, _: f"{at:g} {UNITS[step]}"))
        _area(below, times, [each.files for each in points], "teal", "live data files")
        below.yaxis.set_major_locator(MaxNLocator(3, integer=True))
        below.yaxis.set_major_formatter(FuncFormatter(lambda at, _: f"{at:,.0f}"))
        _dates(below)
    first, last = points[0], points[-1]
    title = (
        f"Live data from {first.time:%Y-%m-%d} to {last.time:%Y-%m-%d}: from {size(first.size)} in "
        f"{count(first.files, 'file')} to {size(last.size)} in {count(last.files, 'file')}"
    )
    shown = points if len(points) <= _MOST_ROWS else _some(points)
    rows = tuple((f"{each.time:%Y-%m-%d %H:%M}", size(each.size), each.files) for each in shown)
    return Chart(figure, title, ("time", "size", "files"), rows)


_MOST_ROWS = 12


def _some(points: Sequence[Point]) -> list[Point]:
    last = len(points) - 1
    return [points[round(place * last / (_MOST_ROWS - 1))] for place in range(_MOST_ROWS)]


def _area(
    axes: Axes, times: Sequence[datetime], values: Sequence[float], colour: str, label: str
) -> None:
    axes.step(times, values, where="post", color=COLOURS[colour], linewidth=1.8)  # type: ignore[arg-type]
    axes.fill_between(times, values, step="post", color=COLOURS[colour], alpha=0.15, linewidth=0)  # type: ignore[arg-type]
    axes.set_ylim(0, max(values) * 1.12 or 1)
    axes.margins(x=0.01)
    axes.set_title(label, loc="left", fontsize=10.5, color=COLOURS["muted"])


def _dates(axes: Axes) -> None:
    locator = AutoDateLocator(minticks=3, maxticks=9)  # type: ignore[no-untyped-call]
    axes.xaxis.set_major_locator(locator)
    axes.xaxis.set_major_formatter(ConciseDateFormatter(locator))  # type: ignore[no-untyped-call]


def activity(commits: Sequence[Commit]) -> Chart:
    """How many commits of each kind there were, over time."""
    length, begins, counts = history.activity(commits)
    present = {kind: each for kind, each in counts.items() if any(each)}
    with rc_context(_STYLE):
        figure = Figure(figsize=(_WIDTH, 2.8), layout="constrained")
        axes = figure.subplots()
        below = [0] * len(begins)
        for kind, numbers in present.items():
            axes.bar(
                begins,  # type: ignore[arg-type]
                numbers,
                bottom=below,
                width=length * 0.85,  # type: ignore[arg-type]
                align="edge",
                color=COLOURS[_KIND_COLOURS[kind]],
                label=kind,
            )
            below = [base + more for base, more in zip(below, numbers, strict=True)]
        axes.yaxis.set_major_locator(MaxNLocator(4, integer=True))
        axes.set_title(f"commits {per(length)}", loc="left", fontsize=10.5, color=COLOURS["muted"])
        figure.legend(loc="outside lower left", ncols=len(history.KINDS), handlelength=1.0)
        _dates(axes)
    total, last = sum(map(sum, present.values())), max(each.time for each in commits)
    title = f"{count(total, 'commit')} from {begins[0]:%Y-%m-%d} to {last:%Y-%m-%d}"
    rows = tuple((kind, sum(numbers)) for kind, numbers in present.items())
    return Chart(figure, title, ("kind", "commits"), rows)


def sizes(classes: Sequence[SizeClass]) -> Chart:
    """How many files there are of each size, and how much of the data they hold."""
    labels = [each.label for each in classes]
    with rc_context(_STYLE):
        figure = Figure(figsize=(_WIDTH, 3.0), layout="constrained")
        left, right = figure.subplots(1, 2, sharey=True)
        files, bytes_ = [each.files for each in classes], [each.size for each in classes]
        _bars(left, labels, files, "blue", [f"{each:,}" for each in files], "data files")
        _bars(right, labels, bytes_, "teal", [size(each) for each in bytes_], "bytes in them")
        left.invert_yaxis()
    title = f"{count(sum(files), 'data file')} by size, {size(sum(bytes_))} together"
    rows = tuple((each.label, each.files, size(each.size)) for each in classes)
    return Chart(figure, title, ("size of a file", "files", "bytes"), rows)


def _bars(
    axes: Axes,
    labels: Sequence[str],
    values: Sequence[int],
    colour: str,
    texts: Sequence[str],
    title: str,
) -> None:
    bars = axes.barh(labels, values, color=COLOURS[colour], height=0.68)
    shown = [text if value else "" for text, value in zip(texts, values, strict=True)]
    axes.bar_label(bars, shown, padding=4, color=COLOURS["ink"])
    axes.set_xlim(0, max([*values, 1]) * 1.25)
    axes.grid(visible=False)
    axes.tick_params(bottom=False, labelbottom=False)
    axes.spines["bottom"].set_visible(False)
    axes.set_title(title, loc="left", fontsize=10.5, color=COLOURS["muted"])
