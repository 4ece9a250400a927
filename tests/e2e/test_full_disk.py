"""Storage that takes no more: the error says so, and nothing is left of the statement."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from support.lakes import IN_FILES, Lake, LakeFactory
from support.peer import Peer

Register = Callable[..., str]

FILLER_ROWS = 200


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of one mebibyte."""
    if os.geteuid() != 0:
        pytest.skip("only root can mount a small disk")
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(folder)]
    if subprocess.run(mount, capture_output=True, check=False).returncode != 0:
        pytest.skip("this system does not let root mount a disk")
    yield folder
    subprocess.run(["umount", "--lazy", str(folder)], check=True)


@pytest.fixture
def lake(disk: Path, lakes: LakeFactory) -> Lake:
    """A lake on SQLite whose data, and nothing else, lies on the small disk."""
    plain = lakes.new("sqlite")
    made = Lake(plain.kind, plain.uri, disk / "data", plain.database)
    with Peer(made) as peer:
        peer.run(
            "CREATE TABLE t (i INTEGER, s VARCHAR)",
            "CALL lake.set_option('data_inlining_row_limit', 0)",
            f"INSERT INTO t SELECT i, 's' || i FROM range({FILLER_ROWS}) r(i)",
            "CALL lake.set_option('data_inlining_row_limit', 10)",
            "CREATE TABLE kept (i INTEGER)",
            "INSERT INTO kept VALUES (1), (2)",
        )
    return made


def below(folder: Path) -> dict[Path, int]:
    """All files with their sizes."""
    return {path: path.stat().st_size for path in folder.rglob("*") if path.is_file()}


def filled(disk: Path) -> Path:
    """Fill the disk; the file that does so."""
    filler = disk / "filler"
    with filler.open("wb", buffering=0) as file:
        try:
            while file.write(bytes(4096)) > 0:
                pass
        except OSError:
            pass
    return filler


STATEMENTS = (
    "INSERT INTO {}.main.t SELECT id, uuid() FROM range(0, 100000, 1, 2)",
    "INSERT INTO {}.main.t SELECT id, 'a' FROM range(0, 40, 1, 1)",
    "CREATE TABLE {}.main.n AS SELECT id FROM range(0, 40, 1, 1)",
    "UPDATE {}.main.t SET s = 'b' WHERE i % 3 = 0",
    "DELETE FROM {}.main.t WHERE i % 3 = 0",
    "INSERT INTO {}.main.t REPLACE WHERE i % 3 = 0 SELECT 3, 'x'",
    "CALL {}.system.flush_inlined_data(table_name => 'kept')",
)


def test_a_full_disk_is_told_and_nothing_is_left(
    spark: SparkSession, lake: Lake, disk: Path, register: Register
) -> None:
    catalog = register(lake)
    filler = filled(disk)
    before = below(disk)

    for statement in STATEMENTS:
        with pytest.raises(PySparkException) as raised:
            spark.sql(statement.format(catalog))

        answer = str(raised.value)
        assert "DUCKLAKE_UNWRITABLE_FILE" in answer and "No space left on device" in answer, answer
        assert f"{disk}/data/main/" in answer, answer
        assert below(disk) == before, statement

    filler.unlink()
    for statement in STATEMENTS[1:]:
        spark.sql(statement.format(catalog))
    with Peer(lake) as peer:
        assert peer.rows("SELECT i FROM kept ORDER BY i") == [(1,), (2,)]
        assert peer.value("SELECT count(*) FROM t WHERE i % 3 = 0") == 1


def test_delete_files_that_tasks_have_written_go_when_the_disk_is_full(
    spark: SparkSession, lake: Lake, disk: Path, register: Register
) -> None:
    with Peer(lake) as peer:
        peer.run(
            "CREATE TABLE many (i INTEGER)",
            *(f"INSERT INTO many SELECT i + {40 * n} FROM range(40) r(i)" for n in range(20)),
        )
    catalog = register(lake)
    filler = filled(disk)
    with filler.open("r+b") as file:
        file.truncate(filler.stat().st_size - 6 * 4096)
    before = below(disk)

    delete = f"DELETE FROM {catalog}.main.many WHERE i % 2 = 0"
    with pytest.raises(PySparkException, match="No space left on device"):
        spark.sql(delete)

    assert below(disk) == before
    filler.unlink()
    spark.sql(delete)
    with Peer(lake) as peer:
        assert peer.rows("SELECT count(*), min(i) FROM many") == [(400, 1)]


def test_a_folder_that_cannot_be_made_is_told(
    spark: SparkSession, lakes: LakeFactory, register: Register
) -> None:
    lake = lakes.new("sqlite")
    with Peer(lake) as peer:
        peer.run("CREATE TABLE t (i INTEGER)")
    (lake.data_path / "main").parent.mkdir(parents=True, exist_ok=True)
    (lake.data_path / "main").write_text("in the way")
    catalog = register(lake, IN_FILES)

    with pytest.raises(PySparkException) as raised:
        spark.sql(f"INSERT INTO {catalog}.main.t VALUES (1)")

    answer = str(raised.value)
    assert "DUCKLAKE_UNWRITABLE_FILE" in answer and f"{lake.data_path}/main/t/" in answer, answer
