"""Every block of code of the pages is run by a test, or stands here with a reason."""

from __future__ import annotations

import re
import shlex
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import duckdb
import ducklake_spark as dl
import pytest
from ducklake_spark_cli import profiles
from pyspark.sql import SparkSession

from support.commands import command
from support.lakes import Lake, LakeFactory
from support.pages import PAGES, Block, blocks, of_properties
from support.peer import Peer, connect

HERE = Path(__file__)
TESTS = HERE.parents[1]

WHOLE_PAGES = {
    "backups.md": "python/test_guides.py",
    "change-data.md": "concurrency/test_change_data.py",
    "change-feed.md": "python/test_pages.py",
    "conflicts.md": "python/test_pages.py",
    "erasing.md": "python/test_erasing.py",
    "maintenance.md": "python/test_pages.py",
    "procedures.md": "python/test_pages.py",
    "python.md": "python/test_examples.py",
    "reading.md": "python/test_pages.py",
    "statements.md": "python/test_pages.py",
    "streaming.md": "python/test_pages.py",
    "transactions.md": "python/test_pages.py",
    "writing.md": "python/test_pages.py",
}
"""Pages and the tests that run all blocks of each."""

SECTIONS = {
    ("README.md", "Five minutes"): "python/test_examples.py",
    ("python/README.md", "ducklake-spark"): "python/test_examples.py",
    ("change-data.md", "From the database to Kafka"): "concurrency/test_change_data.py",
    ("command-line.md", "Upkeep when it is due"): "python/test_due.py",
    ("dbt.md", "A profile"): "python/test_dbt.py",
    ("dbt.md", "Models"): "python/test_dbt.py",
    ("dbt.md", "Snapshots"): "python/test_dbt.py",
    ("deployment.md", "What every form needs"): "python/test_deployments.py",
    ("deployment.md", "Script"): "python/test_deployments.py",
    ("deployment.md", "Notebook"): "python/test_notebook.py",
    ("deployment.md", "spark-submit"): "python/test_deployments.py",
    ("deployment.md", "Standalone cluster"): "python/test_deployments.py",
    ("deployment.md", "Driver on a worker"): "python/test_deployments.py",
    ("deployment.md", "spark-sql"): "python/test_deployments.py",
    ("deployment.md", "Maven coordinates"): "python/test_maven.py",
    ("deployment.md", "spark-shell"): "python/test_deployments.py",
    ("deployment.md", "Spark Connect"): "python/test_deployments.py",
    ("deployment.md", "Thrift server"): "python/test_deployments.py",
    ("pipelines.md", "Declarative pipelines"): "python/test_pipelines.py",
    ("pipelines.md", "AUTO CDC"): "python/test_pipelines.py",
}
"""Sections and the tests that run all blocks of each."""

PARTS = {
    ("from-duckdb.md", "The same lake", "sql"): "python/test_guides.py",
    ("from-iceberg-and-delta.md", "The same things by other names", "sql"): "python/test_guides.py",
    ("postgresql.md", "Users", "sql"): "e2e/test_postgres_page.py",
    ("postgresql.md", "Indexes", "sql"): "e2e/test_postgres_page.py",
    ("postgresql.md", "Vacuum", "sql"): "e2e/test_postgres_page.py",
    ("postgresql.md", "Backups", "bash"): "e2e/test_postgres_page.py",
    ("storage.md", "A server of your own that speaks S3", "sql"): "python/test_store_page.py",
    ("storage.md", "Where settings go", "python"): "python/test_store_page.py",
    ("storage.md", "Where settings go", "bash"): "python/test_store_page.py",
}
"""Blocks of one language in a section, and the tests that run them."""

HERE_RUN = {
    ("command-line.md", "Command line", "bash"): "commands",
    ("command-line.md", "The report", "bash"): "commands",
    ("command-line.md", "Profiles", "toml"): "commands",
    ("python/README.md", "Command line", "bash"): "commands",
    ("catalog-files.md", "A SQLite file", "python"): "journal",
    ("catalog-files.md", "Waiting for a lock", "python"): "configure",
    ("from-duckdb.md", "The same lake", "python"): "configure",
    ("postgresql.md", "Users", "python"): "configure",
    ("postgresql.md", "Backups", "python"): "backups",
    ("postgresql.md", "A pooler in front", "ini"): "pooler",
    ("storage.md", "Cloudflare R2", "sql"): "secrets",
    ("storage.md", "Google Cloud Storage", "sql"): "secrets",
    ("storage.md", "Amazon S3", "bash"): "settings",
}
"""Blocks that a test below runs; blocks of settings are run wherever they stand."""

NOT_RUN = {
    ("architecture.md", "Inside `catalog`", "mermaid"): "a picture; the build compares it",
    ("architecture.md", "Inside `files`", "mermaid"): "a picture; the build compares it",
    ("architecture.md", "Inside `spark`", "mermaid"): "a picture; the build compares it",
    ("chaos.md", "Chaos", "bash"): "it starts sbt; chaos/test_run.py runs the same for seconds",
    ("deployment.md", "Platforms", "bash"): "it starts sbt; the jars of a platform are not there",
    ("deployment.md", "YARN and Kubernetes", "bash"): "no such cluster; the page says so",
    ("deployment.md", "YARN and Kubernetes", "dockerfile"): "no container engine; the page says so",
    ("load.md", "A day of commits", "bash"): "it starts sbt; load/test_load.py runs the same",
    ("load.md", "Many sessions", "bash"): "it starts sbt; load/test_load.py runs it for seconds",
    ("storage.md", "Amazon S3", "sql"): "DuckDB's extension aws is not there; it is parsed",
    ("storage.md", "Azure", "sql"): "DuckDB's extension azure is not there; it is parsed",
    ("storage.md", "Lakes on the web", "sql"): "example.org has no lake; it is parsed",
}
"""Blocks that no test runs, and why."""

SPARKS_OWN = {
    "spark.extraListeners",
    "spark.jars",
    "spark.openlineage.transport.location",
    "spark.openlineage.transport.type",
    "spark.redaction.regex",
    "spark.sql.extensions",
}
"""Settings of pages that are not those of a catalog."""

VERSION = re.compile(r"ducklake-spark-(?:common|\d\.\d_2\.13(?:-thin)?)[:-](\d+\.\d+\.\d+)")

JAR_OF_DUCKDB = re.compile(r"org\.duckdb:duckdb_jdbc:?([\w.]*)")

VERSIONS = TESTS.parent / "project" / "Versions.scala"

SHOWN = [(page, block) for page, path in PAGES.items() for block in blocks(path)]


def key(page: str, block: Block) -> tuple[str, str, str]:
    return (page, block.section, block.language)


def test_every_block_is_run_or_says_why_not() -> None:
    runs = {**PARTS, **HERE_RUN, **NOT_RUN}
    unknown = [
        key(page, block)
        for page, block in SHOWN
        if not (page in WHOLE_PAGES and block.language in {"sql", "python"})
        and (page, block.section) not in SECTIONS
        and key(page, block) not in runs
        and block.language != "properties"
    ]

    assert len(SHOWN) > 100
    assert unknown == []


def test_the_lists_name_blocks_and_tests_that_are_there() -> None:
    keys = {key(page, block) for page, block in SHOWN}
    sections = {(page, section) for page, section, _ in keys}
    tests = {**WHOLE_PAGES, **{page: test for (page, *_), test in [*SECTIONS.items()]}}
    tests |= {page: test for (page, *_), test in PARTS.items()}

    assert WHOLE_PAGES.keys() <= {page for page, _ in sections}
    assert SECTIONS.keys() <= sections
    assert PARTS.keys() | HERE_RUN.keys() | NOT_RUN.keys() <= keys
    for page, test in tests.items():
        assert Path(page).name in (TESTS / test).read_text()


def settings_of(block: Block) -> dict[str, str]:
    """The settings of a block: its lines, or what a command gives by `--conf`."""
    if block.language == "properties":
        return dict(of_properties(line) for line in block.text.splitlines())
    words = shlex.split(block.text)
    given = [words[place + 1] for place, word in enumerate(words) if word == "--conf"]
    return dict(text.split("=", 1) for text in given)


SETTINGS = [
    pytest.param(block, id=f"{page}: {block.section}, {block.text.split()[0]}")
    for page, block in SHOWN
    if block.language == "properties" or HERE_RUN.get(key(page, block)) == "settings"
]


@pytest.mark.parametrize("block", SETTINGS)
def test_settings_are_those_of_a_catalog(
    spark: SparkSession, lakes: LakeFactory, block: Block
) -> None:
    session = spark.newSession()
    shown = settings_of(block)
    prefix = "spark.sql.catalog."
    keys = {name: value for name, value in shown.items() if name.startswith(prefix)}
    catalogs = {name.removeprefix(prefix).split(".")[0] for name in keys}
    own = {f"{prefix}{catalog}.uri": lakes.new("sqlite").uri for catalog in catalogs}
    classes = {f"{prefix}{catalog}": "ducklake.spark.DuckLakeCatalog" for catalog in catalogs}

    for name, value in {**classes, **keys, **own}.items():
        session.conf.set(name, value)

    assert shown.keys() - keys.keys() <= SPARKS_OWN
    assert all(keys.get(name, value) == value for name, value in classes.items())
    for catalog in catalogs:
        assert session.table(f"{catalog}.system.settings").head() is not None


CONFIGURES = [block for page, block in SHOWN if HERE_RUN.get(key(page, block)) == "configure"]


@pytest.mark.parametrize("block", CONFIGURES, ids=lambda block: block.section)
def test_configure_takes_what_pages_give_it(block: Block) -> None:
    call = re.search(r"dl\.configure\(\s*(?:SparkSession\.)?builder,", block.text)
    assert call is not None
    text = block.text.replace(call[0], "found = dl.settings(").split("\nspark =")[0]
    names: dict[str, dict[str, str]] = {}

    exec(text.removeprefix("builder = "), {"dl": dl}, names)

    assert names["found"]["spark.sql.catalog.lake"] == "ducklake.spark.DuckLakeCatalog"


def lines_of(page: str) -> Iterator[str]:
    """The calls of `ducklake-spark` that a page shows."""
    for shown, block in SHOWN:
        if shown == page and HERE_RUN.get(key(shown, block)) == "commands":
            lines = block.text.splitlines()
            yield from (line for line in lines if line.startswith("ducklake-spark "))


@pytest.mark.usefixtures("spark")
@pytest.mark.parametrize("kind", ["sqlite"], indirect=True)
@pytest.mark.parametrize(("page", "count"), [("command-line.md", 3), ("python/README.md", 4)])
def test_commands_of_pages_work(lake: Lake, folder: Path, page: str, count: int) -> None:
    with Peer(lake) as peer:
        peer.run("CREATE TABLE events AS SELECT 1 AS id")
    (file,) = [block for _, block in SHOWN if block.language == "toml"]
    address = '"ducklake:postgres:dbname=lake host=db.example.com user=spark"'
    text = file.replaced({address: f'"{lake.uri}"'})
    (folder / profiles.LOCAL_FILE).write_text(text)

    ended = []
    for line in lines_of(page):
        words = shlex.split(re.sub(r"ducklake:sqlite:\S+", lake.uri, line))
        done = command(*words[1:])
        ended.append((line, done.exit_code if words[1] != "doctor" else 0, done.output))

    assert len(ended) == count
    assert [(line, code, output) for line, code, output in ended if code != 0] == []
    assert (folder / "lake.html").is_file()
    laptop = profiles.place("laptop", None)
    assert laptop.uri == "ducklake:sqlite:/data/lake.sqlite"


def test_the_journal_mode_is_changed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (block,) = [block for page, block in SHOWN if HERE_RUN.get(key(page, block)) == "journal"]
    monkeypatch.chdir(tmp_path)
    lake = Lake("sqlite", f"ducklake:sqlite:{tmp_path}/lake.sqlite", tmp_path / "data", "")
    with Peer(lake) as peer:
        peer.run("CREATE TABLE t AS SELECT 1 AS a")

    exec(block.text, {})

    with closing(sqlite3.connect("lake.sqlite")) as catalog:
        assert catalog.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    with Peer(lake) as peer:
        assert peer.rows("FROM t") == [(1,)]


def test_the_option_of_backups_is_set(example_lake: dl.Lake) -> None:
    (block,) = [block for page, block in SHOWN if HERE_RUN.get(key(page, block)) == "backups"]

    exec(block.text, {"lake": example_lake})

    options = {row.option_name: row.value for row in example_lake.options().collect()}
    assert options["delete_older_than"] == "15 days"


def test_the_pooler_of_the_tests_is_that_of_the_page() -> None:
    (block,) = [block for page, block in SHOWN if HERE_RUN.get(key(page, block)) == "pooler"]

    assert set(block.text.splitlines()) <= set(
        (TESTS / "support/pgbouncer.py").read_text().splitlines()
    )


@pytest.mark.parametrize(
    "block",
    [block for page, block in SHOWN if HERE_RUN.get(key(page, block)) == "secrets"],
    ids=lambda block: block.section,
)
def test_duckdb_makes_the_secrets_of_pages(block: Block) -> None:
    with connect("httpfs") as duck:
        duck.execute(block.text)

        assert duck.execute("SELECT count(*) FROM duckdb_secrets()").fetchone() == (1,)


def test_statements_for_duckdb_that_cannot_be_run_are_parsed() -> None:
    parsed = [
        duckdb.extract_statements(block.text)
        for page, block in SHOWN
        if block.language == "sql" and key(page, block) in NOT_RUN
    ]

    assert [len(statements) for statements in parsed] == [2, 1, 1]


def test_the_versions_of_pages_are_that_of_the_package() -> None:
    named = [version for path in PAGES.values() for version in VERSION.findall(path.read_text())]

    assert len(named) >= 4
    assert set(named) == {dl.__version__}


def test_the_jar_of_duckdb_in_pages_is_that_of_the_build() -> None:
    built = re.findall(r'val duckdbJdbc = "(.+)"', VERSIONS.read_text())
    texts = [path.read_text() for path in PAGES.values()]
    named = [version for text in texts for version in re.findall(JAR_OF_DUCKDB, text)]

    assert len(named) >= 4
    assert set(named) == set(built)
