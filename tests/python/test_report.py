"""The report: its numbers are those of DuckDB, and its page holds no text that is not escaped."""

from __future__ import annotations

import re
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import ducklake_spark as dl
import ducklake_spark_cli
import pytest
from ducklake_spark.pictures import LakePictures
from ducklake_spark_catalog.places import Place
from ducklake_spark_cli.commands import cli
from ducklake_spark_report import (
    ages,
    charts,
    history,
    markup,
    options,
    partitions,
    report,
    sizes,
    svg,
    upkeep,
    words,
)
from ducklake_spark_report import facts as facts_module
from pyspark.sql import SparkSession

from support.commands import command, json_of
from support.doctests import run_examples
from support.fixtures import FixtureStore, all_fixtures
from support.lakes import Lake, LakeFactory
from support.peer import Peer
from support.reports import facts_of, table_of
from support.shown import fill
from support.terminal import terminal

REPOSITORY = Path(__file__).resolve().parents[2]
FILES = "DATA_INLINING_ROW_LIMIT 0"
ON_SQLITE = pytest.mark.parametrize("kind", ["sqlite"], indirect=True)


@pytest.fixture(scope="module")
def filled(lakes: LakeFactory) -> Lake:
    """A lake of some tables, which no test changes."""
    made = lakes.new("sqlite")
    fill(made)
    return made


@pytest.mark.parametrize(
    "module",
    [ages, facts_module, history, markup, options, partitions, sizes, svg, upkeep, words],
)
def test_examples_hold(module: object) -> None:
    assert run_examples(module).failed == 0  # type: ignore[arg-type]


@pytest.mark.every_database
def test_tables_have_the_rows_and_files_that_duckdb_counts(lake: Lake) -> None:
    fill(lake)
    names = {"orders": "sales.orders", "events": "events", "customers": "customers"}
    with Peer(lake) as peer:
        rows = {
            name: peer.rows(f"FROM (SELECT count(*) FROM {full})")[0][0]
            for name, full in names.items()
        }
        files = dict(
            (name, (number, size))
            for name, number, size in peer.rows(
                "SELECT table_name, file_count, file_size_bytes FROM ducklake_table_info('lake')"
            )
        )

    facts = facts_of(lake)

    assert {name: table_of(facts, name).rows for name in names} == rows
    assert {each.name: (each.files, each.size) for each in facts.tables} == files
    assert sum(each.files for each in facts.sizes) == sum(each.files for each in facts.tables)
    assert facts.growth[-1].size == sum(each.size for each in facts.tables)
    assert (table_of(facts, "orders").schema, table_of(facts, "events").schema) == ("sales", "main")


@pytest.mark.every_database
def test_rows_in_the_catalog_are_those_that_duckdb_flushes(lake: Lake) -> None:
    fill(lake)
    before = facts_of(lake)
    with Peer(lake) as peer:
        flushed = peer.rows("CALL ducklake_flush_inlined_data('lake')")
    after = facts_of(lake)

    assert table_of(before, "events").inlined_rows == 45
    assert table_of(before, "events").inlined_deletes == 18
    assert [rows for schema, name, rows in flushed if name == "events"] == [45]
    assert table_of(after, "events").inlined_rows == table_of(after, "events").inlined_deletes == 0
    assert table_of(after, "events").rows == table_of(before, "events").rows


@pytest.mark.parametrize(
    "fixture",
    [each for each in all_fixtures() if each.case == "dml" and each.kind == "sqlite"],
    ids=str,
)
def test_older_catalogs_have_reports(fixture_store: FixtureStore, fixture: object) -> None:
    lake = fixture_store.lake(fixture)  # type: ignore[arg-type]

    made = report(Place(lake.uri))

    assert made.facts.tables[0].files > 0
    assert f"catalog version {made.facts.version}" in made.html


class Elements(HTMLParser):
    """Checks that elements end in the order in which they begin; notes ids and links."""

    def __init__(self, text: str) -> None:
        """Read a page."""
        super().__init__()
        self.open: list[str] = []
        self.ids: list[str] = []
        self.links: list[str] = []
        self.names: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """An element begins."""
        self.names.add(tag)
        if tag != "meta":
            self.open.append(tag)
        self._note(attrs)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """An element that has nothing inside."""
        self.names.add(tag)
        self._note(attrs)

    def handle_endtag(self, tag: str) -> None:
        """The innermost element ends."""
        assert self.open.pop() == tag

    def _note(self, attrs: list[tuple[str, str | None]]) -> None:
        known = dict(attrs)
        self.ids += [known["id"] or ""] if "id" in known else []
        self.links += [known[key] or "" for key in ("href", "src", "xlink:href") if key in known]


def test_the_page_is_one_sound_document_without_links(filled: Lake) -> None:
    made = report(Place(filled.uri))

    elements = Elements(made.html)

    assert elements.open == []
    assert len(elements.ids) == len(set(elements.ids))
    assert [link for link in elements.links if not link.startswith("#")] == []
    assert elements.names.isdisjoint({"script", "link", "img", "iframe", "b"})
    assert "url(http" not in made.html and "@import" not in made.html
    assert "default-src 'none'" in made.html
    assert made.html.count('role="img" aria-label="') == 3
    assert "&lt;b&gt;bold &amp; &#x27;sly&#x27;" in made.html
    assert len(made.html) < 150_000
    assert made._repr_html_().count("<") == 2


@ON_SQLITE
def test_text_of_the_catalog_stays_text(lake: Lake) -> None:
    evil = "</style><script>alert(1)</script>$x_1$"
    with Peer(lake, FILES) as peer:
        peer.run(
            f'CREATE SCHEMA "{evil}"', f'CREATE TABLE "{evil}"."{evil}" (a INTEGER, p VARCHAR)'
        )
        peer.run(f'ALTER TABLE "{evil}"."{evil}" SET PARTITIONED BY (p)')
        for _ in range(2):
            peer.run("BEGIN", f"""INSERT INTO "{evil}"."{evil}" VALUES (1, '{evil}')""")
            peer.run(f"CALL lake.set_commit_message('{evil}', '{evil}\u202e')", "COMMIT")

    made = report(Place(lake.uri), name=evil)

    assert "<script" not in made.html
    assert "\u202e" not in made.html
    assert made.html.count("</style>") == 1
    assert Elements(made.html).open == []


def test_an_empty_lake_has_a_report(lake: Lake) -> None:
    made = report(Place(lake.uri))

    assert "There is no table." in made.html
    assert "There is one snapshot" in made.html
    verdicts = [each.verdict for each in upkeep.steps(made.facts, "lake")]
    assert verdicts == ["nothing to do"] * 5 + ["not known"]


@ON_SQLITE
@pytest.mark.parametrize("column", ["file_size_bytes", "record_count"])
@pytest.mark.damages(reason="a file without a size")
def test_files_without_a_size_are_told(lake: Lake, column: str) -> None:
    fill(lake)
    with closing(sqlite3.connect(lake.database)) as made:
        made.execute(f"UPDATE ducklake_data_file SET {column} = NULL")
        ((files,),) = made.execute("SELECT COUNT(*) FROM ducklake_data_file")
        made.commit()

    done = command("report", "--lake", lake.uri)

    assert done.exit_code == 1
    assert f"The catalog is damaged: {files} rows of ducklake_data_file have NULL" in done.stderr


@ON_SQLITE
@pytest.mark.damages(reason="tables without columns, files that are not there")
def test_ten_thousand_tables_are_a_small_page(lake: Lake) -> None:
    with closing(sqlite3.connect(lake.database)) as made:
        made.executemany(
            "INSERT INTO ducklake_table VALUES (?, ?, 0, NULL, 0, ?, ?, 1)",
            ((number, str(number), f"t{number}", f"t{number}/") for number in range(1, 10_001)),
        )
        made.executemany(
            "INSERT INTO ducklake_data_file (data_file_id, table_id, begin_snapshot, path, "
            "path_is_relative, record_count, file_size_bytes) VALUES (?, ?, 0, 'f', 1, 10, ?)",
            ((number, 1 + number // 10, 1000 + number) for number in range(50_000)),
        )
        made.commit()

    page_ = report(Place(lake.uri))

    assert len(page_.html) < 150_000
    assert sum(each.files for each in page_.facts.tables) == 50_000
    assert "And 9,970 smaller tables" in page_.html


def test_the_command_writes_the_page_and_says_what_is_worth_doing(
    filled: Lake, tmp_path: Path
) -> None:
    file = tmp_path / "lake.html"

    rows = json_of("report", "--html", str(file), "--lake", filled.uri)

    assert file.read_text(encoding="utf-8").startswith("<!doctype html>")
    assert [row["step"] for row in rows] == [
        *("flush_inlined_data", "expire_snapshots", "merge_adjacent_files"),
        *("rewrite_data_files", "cleanup_old_files", "delete_orphaned_files"),
    ]
    assert rows[0]["found"] == "The catalog keeps 45 rows and 18 deletes of 1 table."
    assert rows[2]["call"] == "CALL lake.system.merge_adjacent_files(apply_deletes => true)"
    assert rows[2]["command"] == f"ducklake-spark compact --apply-deletes --lake {filled.uri}"
    assert rows[2]["command"] in command("report", "-l", filled.uri).output


def test_a_terminal_gets_whole_words_and_commands_to_copy(
    filled: Lake, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    rows = json_of("report", "--lake", filled.uri)

    with terminal() as made, monkeypatch.context() as patched:
        patched.setattr(sys, "stdout", made.stream)
        cli(["report", "--lake", filled.uri], standalone_mode=False)

    lines = made.written.splitlines()
    assert [line.strip() for line in lines if "->" in line] == [
        f"-> {row['command']}" for row in rows if row["verdict"] != "nothing to do"
    ]
    assert all(len(line) <= 60 for line in lines if line.startswith(" ") and "->" not in line)
    words = {word for line in lines for word in line.split()}
    assert set(" ".join(f"{row['found']} {row['gain']}" for row in rows).split()) <= words


@ON_SQLITE
def test_a_page_that_cannot_be_written_says_so(lake: Lake) -> None:
    done = command("report", "--html", "/nowhere/lake.html", "--lake", lake.uri)

    assert done.exit_code == 1
    assert "cannot be written to /nowhere/lake.html: No such file" in done.stderr


@ON_SQLITE
def test_pictures_alone_need_matplotlib(lake: Lake) -> None:
    folder = Path(ducklake_spark_cli.__file__).parents[1]
    code = (
        "import sys; sys.modules['matplotlib'] = None; import ducklake_spark_cli as c;"
        "sys.argv[1:] = {}; c.main()"
    )

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        filled = code.format([*arguments, "--lake", lake.uri])
        program = [sys.executable, "-c", filled]
        return subprocess.run(program, cwd=folder, capture_output=True, text=True, check=False)

    assert run("report").returncode == 0
    without = run("report", "--html", "x.html")
    assert without.returncode == 1
    assert "pip install 'ducklake-spark[report]'" in without.stderr


def test_python_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    hidden = ("ducklake_spark_report", "matplotlib")
    for name in [name for name in sys.modules if name.startswith(hidden)]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "matplotlib", None)

    with pytest.raises(ImportError, match=r"pip install 'ducklake-spark\[report\]'"):
        LakePictures(None, "lake").report()  # type: ignore[arg-type]


def test_a_chart_shows_itself_in_a_notebook() -> None:
    chart = charts.sizes(sizes.size_classes([(0, 2, 2048), (6, 1, 1 << 31)]))

    shown = chart._repr_html_()

    assert repr(chart) == "<Chart 3 data files by size, 2.0 GiB together>"
    assert 'aria-label="3 data files by size, 2.0 GiB together"' in shown
    assert "var(--blue, #2f6fb7)" in shown
    assert Elements(shown).open == []


def test_a_catalog_that_python_cannot_read_is_told(example_lake: dl.Lake, tmp_path: Path) -> None:
    for key, value in dl.settings("elsewhere", f"ducklake:sqlite:{tmp_path}/l.sqlite").items():
        example_lake.spark.conf.set(key, value)

    with pytest.warns(UserWarning, match="There is no lake"):
        absent = dl.Lake(example_lake.spark, "elsewhere")
    with pytest.raises(dl.ConnectionFailedError, match="cannot read the catalog database itself"):
        absent.report()


@pytest.mark.parametrize("page", ["README.md", "jvm/docs/command-line.md"])
def test_pictures_of_the_pages_are_there(page: str) -> None:
    file = REPOSITORY / page
    pictures = re.findall(r'!\[[^]]+\]\(([^)]+)\)|(?:src|srcset)="([^"]+)"', file.read_text())

    found = [file.parent / (first or second) for first, second in pictures]
    drawn = [ElementTree.parse(each).getroot() for each in found if each.suffix == ".svg"]

    assert found
    assert all(each.is_file() for each in found)
    assert all(each.find("{http://www.w3.org/2000/svg}title") is not None for each in drawn)


@pytest.mark.parametrize("kind", ["postgres"], indirect=True)
def test_a_report_obeys_properties_of_the_driver(
    lake: Lake, spark: SparkSession, register: Callable[..., str]
) -> None:
    fill(lake)
    known = register(lake, {"jdbc.sslmode": "allow", "jdbc.ApplicationName": "reports"})
    unknown = register(lake, {"jdbc.targetServerType": "primary"})

    assert "events" in dl.Lake(spark, known).report().html
    with pytest.raises(dl.ConnectionFailedError, match=r"Key `jdbc\.targetServerType` is not"):
        dl.Lake(spark, unknown).plot_history()
