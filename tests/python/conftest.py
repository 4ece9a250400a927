"""Sessions of both kinds, lakes for examples, dbt, and a folder for profiles."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import ducklake_spark as dl
import pytest
from pyspark.sql import SparkSession

from support.connect import connected, serving
from support.dbtproject import NoDbt, interpreter
from support.lakes import LakeFactory
from support.peer import Peer


@pytest.fixture(scope="session")
def connect_address(spark: SparkSession) -> Iterator[str]:
    """A server of Spark Connect."""
    with serving(spark) as address:
        yield address


@pytest.fixture(scope="session")
def dbt_python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The interpreter that has dbt."""
    try:
        return interpreter(tmp_path_factory.mktemp("wheel"))
    except NoDbt as missing:
        pytest.skip(f"dbt cannot be installed: {missing}")


@pytest.fixture(params=["classic", "connect"])
def session(request: pytest.FixtureRequest, spark: SparkSession) -> Iterator[SparkSession]:
    """A new session with settings of its own: in this process, and over Spark Connect."""
    if request.param == "classic":
        yield spark.newSession()
    else:
        remote = connected(request.getfixturevalue("connect_address"))
        yield remote
        remote.stop()


@pytest.fixture
def example_lake(session: SparkSession, lakes: LakeFactory) -> dl.Lake:
    """A lake with the table `events`: one row at snapshot 2, two at snapshot 3."""
    made = lakes.new("sqlite")
    with Peer(made, "DATA_INLINING_ROW_LIMIT 0") as peer:
        peer.run(
            "CREATE TABLE events (id INTEGER, name VARCHAR)",
            "INSERT INTO events VALUES (1, 'one')",
            "INSERT INTO events VALUES (2, 'two')",
        )
    for key, value in dl.settings("lake", made.uri).items():
        session.conf.set(key, value)
    return dl.Lake(session, "lake")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder to work in, and a home without a configuration of the command line."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.delenv("DUCKLAKE_LAKE", raising=False)
    return tmp_path
