"""Sessions and parametrisation only; the tools are in `support`."""

from __future__ import annotations

import itertools
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import pytest
from pyspark.sql import SparkSession

from support.figures import compared, summary
from support.fixtures import FixtureStore
from support.invariants import Scope, check
from support.lakes import CATALOG_KINDS, CatalogKind, Lake, LakeFactory
from support.objectstore import ObjectStore
from support.peer import Peer, committed_by_peers
from support.peer import settings as peer_settings
from support.postgres import PostgresServer
from support.session import SESSION_SETTINGS, all_jars, remember_names, store_jars
from support.sweep import FULL, STARTS, TESTS, dear_tests, only_in_the_full_sweep

Register = Callable[..., str]


def pytest_configure() -> None:
    """DuckDB gets one thread: tables of tests are small, and threads that wait cost as much."""
    peer_settings["threads"] = 1


LONGEST_FILES = (
    "test_flush.py",
    "test_between_reads.py",
    "test_version_11.py",
    "test_crashes.py",
    "test_wheel.py",
)
"""The files that take minutes, the longest first."""

SPREAD_FILES = ("test_random_steps.py", "test_fixtures.py")
"""Tests with a lake each: any process takes the next one, at the end, those that last first."""

FILES_WITH_DELTA = (
    "test_migrate_from_delta.py",
    "test_follow_delta.py",
    "test_history_delta.py",
    "test_move_checksums.py",
)
"""Tests that share tables of Delta."""


def takes_turns(item: pytest.Item) -> bool:
    """Whether a run takes one of the databases of a test, not all that `kind` offers it."""
    if FULL or not isinstance(item, pytest.Function) or not hasattr(item, "callspec"):
        return False
    if item.get_closest_marker("every_database") or "kind" not in item.callspec.params:
        return False
    return not any("kind" in names_of(mark) for mark in item.iter_markers("parametrize"))


def out_of_turn(items: list[pytest.Item]) -> set[pytest.Item]:
    """The tests whose catalog database is not the one whose turn it is.

    The first parameters of a test have one of its databases, the next ones the next. Parameters are
    told apart by themselves: pytest gives several numbers to the only value of one.
    """
    tests: dict[str, dict[tuple[int, ...], list[pytest.Item]]] = {}
    for item in filter(takes_turns, items):
        assert isinstance(item, pytest.Function)
        params = item.callspec.params
        others = tuple(id(params[key]) for key in sorted(params) if key != "kind")
        name = f"{item.path.name}{item.originalname}"
        tests.setdefault(name, {}).setdefault(others, []).append(item)
    left_out: set[pytest.Item] = set()
    for name, by_others in tests.items():
        for turn, offered in enumerate(by_others.values(), zlib.crc32(name.encode())):
            left_out |= {*offered} - {offered[turn % len(offered)]}
    return left_out


SHARE = 6
"""Of a test that asks Spark the gate takes one of so many cases, but at least one."""


def has_many_cases(item: pytest.Item) -> bool:
    """Whether a run takes some of the cases of a test, not all."""
    if STARTS or not isinstance(item, pytest.Function) or not hasattr(item, "callspec"):
        return False
    return "spark" in item.fixturenames and not item.get_closest_marker("in_every_run")


def thinned(items: list[pytest.Item]) -> set[pytest.Item]:
    """The cases that are left out, so that those of each test that stay are at even distances.

    A test that names its databases keeps cases on each, and other ones on the next.
    """
    tests: dict[tuple[str, str], list[pytest.Item]] = {}
    for item in filter(has_many_cases, items):
        assert isinstance(item, pytest.Function)
        kind = "" if takes_turns(item) else item.callspec.params.get("kind", "")
        database = kind if kind in CATALOG_KINDS else ""
        tests.setdefault((f"{item.path}{item.originalname}", database), []).append(item)
    left_out: set[pytest.Item] = set()
    for (_, database), cases in tests.items():
        count = len(cases)
        stay = max(1, count // SHARE)
        first = [*CATALOG_KINDS].index(database) if database else 0
        places = {(count * place // stay + first) % count for place in range(stay)}
        left_out |= {case for place, case in enumerate(cases) if place not in places}
    return left_out


def mark_dear_tests(items: list[pytest.Item]) -> None:
    """Gives the tests of `sweep.txt` the mark of what only the full sweep has."""
    dear = set(dear_tests())
    for item in items:
        name = item.originalname if isinstance(item, pytest.Function) else item.name
        path = item.path.relative_to(TESTS).as_posix()
        if {path, f"{path}::{name}"} & dear:
            item.add_marker(only_in_the_full_sweep("it is dear (sweep.txt)"))


def names_of(parametrize: pytest.Mark) -> Sequence[str]:
    """The parameters of such a mark."""
    names: str | Sequence[str] = parametrize.args[0]
    return [name.strip() for name in names.split(",")] if isinstance(names, str) else names


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leaves out databases and cases, and puts the files that last longest first."""
    mark_dear_tests(items)
    for choose in (out_of_turn, thinned):
        if left_out := choose(items):
            config.hook.pytest_deselected(items=[*left_out])
            items[:] = [item for item in items if item not in left_out]
    others = len(LONGEST_FILES)
    places = {name: place for place, name in enumerate(LONGEST_FILES)}
    places |= {name: others + 1 + turn for turn, name in enumerate(SPREAD_FILES)}
    items.sort(key=lambda item: places.get(item.path.name, others))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:  # noqa: ANN401
    """Most files stay in one process, with what they share; two processes end together."""
    from support.scheduling import FilesInOneProcess

    return FilesInOneProcess(config, log, SPREAD_FILES, FILES_WITH_DELTA)


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Hands what this process compared to the one that started it."""
    if (handed := getattr(session.config, "workeroutput", None)) is not None:
        handed["compared"] = dict(compared)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:  # noqa: ANN401
    """Adds up what the processes of this run compared."""
    compared.update(getattr(node, "workeroutput", {}).get("compared", {}))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Says how much of the recorded lakes was compared."""
    if answer := summary():
        terminalreporter.write_line(f"recorded lakes: {answer}")


@pytest.fixture(scope="session")
def spark() -> Iterator[SparkSession]:
    """One local session with the jar by spark.jars, never on the class path."""
    builder = SparkSession.builder.config("spark.jars", all_jars())
    remember_names()
    for key, value in SESSION_SETTINGS.items():
        builder = builder.config(key, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    yield session
    session.stop()


@pytest.fixture(scope="session")
def server() -> Iterator[PostgresServer]:
    """The PostgreSQL server of this run."""
    with PostgresServer() as running:
        yield running


@pytest.fixture(scope="session")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ObjectStore]:
    """The S3 server of this run, for which Spark needs the jars of S3A."""
    store_jars()
    with ObjectStore(tmp_path_factory.mktemp("store")) as running:
        yield running


@pytest.fixture(scope="session")
def lakes(tmp_path_factory: pytest.TempPathFactory, server: PostgresServer) -> LakeFactory:
    """Makes new lakes."""
    return LakeFactory(tmp_path_factory.mktemp("lakes"), server)


@pytest.fixture(scope="session")
def fixture_store(tmp_path_factory: pytest.TempPathFactory, server: PostgresServer) -> FixtureStore:
    """The recorded lakes."""
    return FixtureStore(tmp_path_factory.mktemp("fixtures"), server)


@pytest.fixture(params=CATALOG_KINDS)
def kind(request: pytest.FixtureRequest) -> CatalogKind:
    """Each kind of catalog database; a normal run takes one of them, see `out_of_turn`."""
    chosen: CatalogKind = request.param
    return chosen


@pytest.fixture(scope="session")
def empty_on_postgres(lakes: LakeFactory) -> Lake:
    """An empty lake to be copied: DuckDB takes longest to make the tables of one on PostgreSQL."""
    made = lakes.new("postgres")
    Peer(made).close()
    return made


@pytest.fixture
def lake(request: pytest.FixtureRequest, lakes: LakeFactory, kind: CatalogKind) -> Iterator[Lake]:
    """A new lake that DuckDB created, empty, on each kind of catalog database.

    When the test is over, the lake must still be a lake: see `support/invariants`. A test that
    damages it says so with the marker `damages`.
    """
    if kind == "postgres":
        made = lakes.copied(request.getfixturevalue("empty_on_postgres"))
    else:
        made = lakes.new(kind)
        Peer(made).close()
    yield made
    if not request.node.get_closest_marker("damages"):
        assert check(made, Scope(frozenset(committed_by_peers[made.uri]))) == []


_catalog_numbers = itertools.count(1)


def activate(spark: SparkSession) -> None:
    """Makes it the session of this thread; another test may have left its own one there.

    Spark's `writeStream.toTable` looks for the catalog of a table in that session.
    """
    java: Any = spark._jvm
    java.org.apache.spark.sql.classic.SparkSession.setActiveSession(spark._jsparkSession)


@pytest.fixture
def register(spark: SparkSession) -> Iterator[Register]:
    """Registers a lake in the shared session under a new catalog name, and gives the name.

    The shared session forgets the settings when the test is over: Spark copies all that it has for
    each query and each session.
    """
    activate(spark)
    left: list[str] = []

    def registered(
        lake: Lake, options: Mapping[str, str] | None = None, session: SparkSession = spark
    ) -> str:
        catalog = f"c{next(_catalog_numbers)}"
        settings = lake.spark_settings(catalog, options)
        for key, value in settings.items():
            session.conf.set(key, value)
        if session is spark:
            left.extend(settings)
        return catalog

    yield registered
    for key in left:
        spark.conf.unset(key)
