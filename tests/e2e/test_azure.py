"""A lake whose files are in Azure's store of blobs, which both engines change."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest

from support import azurite
from support.azurite import ACCOUNT, KEY, Azurite
from support.lakes import IN_FILES, Lake, LakeFactory
from support.othersession import ask_other_session
from support.peer import connect, literal
from support.session import SESSION_SETTINGS, jars
from support.sweep import only_in_the_full_sweep

pytestmark = [
    only_in_the_full_sweep("a Spark of its own"),
    pytest.mark.skipif(
        not azurite.program().exists()
        or importlib.util.find_spec("duckdb_extension_azure") is None,
        reason="Azurite is not installed: ./sbt azureStore",
    ),
]
FOLDER = f"az://{ACCOUNT}.blob.core.windows.net/box/lake/"
"""The container is made by Spark: neither DuckDB nor Azurite makes one."""


@pytest.fixture
def blobs(tmp_path: Path) -> Iterator[Azurite]:
    """Without a container."""
    with Azurite(tmp_path / "azurite") as running:
        yield running


def by_spark(lake: Lake, blobs: Azurite, folder: Path, *statements: str) -> list[object]:
    """The answers of a new session, which must be no errors."""
    options = {"data-path": FOLDER, **IN_FILES, **blobs.hadoop()}
    settings = {
        **SESSION_SETTINGS,
        **lake.spark_settings("lake", options),
        "spark.jars": f"{jars()},{azurite.client_jars()}",
        "spark.driver.extraJavaOptions": blobs.java_options(),
    }
    answers = ask_other_session(settings, [{"sql": each} for each in statements], folder)
    assert not [answer for answer in answers if isinstance(answer, dict)], answers
    return answers


def peer(lake: Lake, blobs: Azurite, trusted: pytest.MonkeyPatch) -> duckdb.DuckDBPyConnection:
    """DuckDB at the lake."""
    trusted.setenv("CURL_CA_INFO", str(blobs.certificate))
    connection = connect("azure")
    connection.execute("SET azure_transport_option_type = 'curl'")
    connection.execute(blobs.secret())
    connection.execute(f"ATTACH {literal(lake.uri)} AS lake (DATA_INLINING_ROW_LIMIT 0)")
    return connection


def test_both_engines_change_one_lake_in_azure(
    lakes: LakeFactory, blobs: Azurite, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lake = lakes.new("sqlite")
    by_spark(
        lake,
        blobs,
        tmp_path,
        "CREATE TABLE lake.t (a BIGINT, b STRING)",
        "INSERT INTO lake.t SELECT id, concat('x', id) FROM range(0, 100, 1, 1)",
        "INSERT INTO lake.t SELECT id, concat('x', id) FROM range(100, 200, 1, 1)",
        "DELETE FROM lake.t WHERE a < 10",
    )
    with peer(lake, blobs, monkeypatch) as duck:
        duck.execute("INSERT INTO lake.t SELECT i, 'duck' FROM range(200, 250) r(i)")
        duck.execute("DELETE FROM lake.t WHERE a BETWEEN 95 AND 104")
        duck.execute("UPDATE lake.t SET b = 'changed' WHERE a = 249")
        question = "SELECT count(*), sum(a), count(DISTINCT b), max(b) FROM lake.t"
        expected = duck.execute(question).fetchall()
    *_, seen, plan = by_spark(
        lake,
        blobs,
        tmp_path,
        "CALL lake.system.rewrite_data_files('t', delete_threshold => 0)",
        "CALL lake.system.merge_adjacent_files('t')",
        "CALL lake.system.expire_snapshots(older_than => now())",
        "CALL lake.system.cleanup_old_files(cleanup_all => true)",
        "CALL lake.system.delete_orphaned_files(cleanup_all => true)",
        question,
        "EXPLAIN EXTENDED SELECT * FROM lake.t",
    )

    assert expected == [(230, 30085, 182, "x94")]
    assert seen == [[str(value) for value in expected[0]]]
    with peer(lake, blobs, monkeypatch) as duck:
        assert duck.execute(question).fetchall() == expected
        left = duck.execute(f"SELECT count(*) FROM glob({literal(FOLDER + 'main/t/*')})").fetchall()
        known = duck.execute("SELECT count(*) FROM ducklake_list_files('lake', 't')").fetchall()
    assert left == known
    assert KEY not in str(plan)
