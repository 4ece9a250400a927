"""The page about deployment: each of its commands is run as it stands there, in a Spark of its own.

All of them in the full sweep alone; test_notebook.py and test_wheel.py start Spark in every run.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from support.forms import HOST, cluster, free_port, listening, shell
from support.lakes import Lake, LakeFactory
from support.pages import DOCS, Block, blocks
from support.peer import Peer
from support.sweep import only_in_the_full_sweep

pytestmark = only_in_the_full_sweep("a start of Spark for each form")
ADDRESS = "ducklake:sqlite:/data/lake.sqlite"
"""The lake of the page."""


def of(section: str, language: str = "bash") -> list[Block]:
    """The blocks of a section of the page."""
    return [
        block
        for block in blocks(DOCS / "deployment.md")
        if (block.section, block.language) == (section, language)
    ]


@pytest.fixture
def lake(lakes: LakeFactory) -> Lake:
    """A lake in which DuckDB has put three visits, inlined."""
    made = lakes.new("sqlite")
    with Peer(made) as peer:
        peer.run(
            "CREATE TABLE visits (id BIGINT, page VARCHAR)",
            "INSERT INTO visits SELECT i, 'start' FROM range(3) AS r(i)",
        )
    return made


@pytest.fixture
def folder(lake: Lake, tmp_path: Path) -> Path:
    """A folder with the page's files: the settings and both scripts."""
    (settings,) = of("What every form needs", "properties")
    (job,) = of("Script", "python")
    (plain,) = of("spark-submit", "python")
    (tmp_path / "lake.conf").write_text(settings.replaced({ADDRESS: lake.uri}))
    (tmp_path / "job.py").write_text(job.replaced({ADDRESS: lake.uri}))
    (tmp_path / "plain.py").write_text(plain.text)
    return tmp_path


def visits(lake: Lake) -> dict[str, int]:
    """What DuckDB counts, by page."""
    with Peer(lake) as peer:
        return dict(peer.rows("SELECT page, count(*) FROM visits GROUP BY page"))


def test_spark_submit_on_two_workers(folder: Path, lake: Lake) -> None:
    (command,) = of("Standalone cluster")

    with cluster(folder, workers=2) as running:
        printed = shell(command.replaced({"spark://127.0.0.1:7077": running.address}), folder)
        executors = [list(place.glob("app-*/*/stderr")) for place in running.work]

    assert printed == "1003 rows\n"
    assert [len(of_worker) for of_worker in executors] == [1, 1]
    assert visits(lake) == {"start": 3, "home": 1000}


def test_a_driver_on_a_worker(folder: Path) -> None:
    (program,) = of("Driver on a worker", "java")
    (command,) = of("Driver on a worker")
    (folder / "Visits.java").write_text(program.text)
    shell('javac -cp "$SPARK_HOME/jars/*" Visits.java && jar cf visits.jar Visits.class', folder)

    with cluster(folder, workers=2) as running:
        shell(command.replaced({"spark://127.0.0.1:7077": running.address}), folder)
        outputs = (place.glob("driver-*/stdout") for place in running.work)
        printed = [out.read_text() for found in outputs for out in found]

    assert printed == ["3 rows\n"]


def test_a_script_that_python_runs(folder: Path, lake: Lake) -> None:
    (command,) = of("Script")

    assert shell(command.text, folder) == "1003 rows\n"
    assert visits(lake) == {"start": 3, "home": 1000}


def test_spark_submit_with_and_without_configure(folder: Path) -> None:
    configured, plain = of("spark-submit")

    assert shell(configured.text, folder) == "1003 rows\n"
    assert shell(plain.text, folder) == "1003 rows\n"


def test_spark_sql(folder: Path) -> None:
    (command,) = of("spark-sql")

    assert shell(command.text, folder) == "3\n"


def test_spark_shell(folder: Path) -> None:
    (command,) = of("spark-shell")

    assert "3 rows\n" in shell(command.text, folder)


def test_a_server_of_connect_and_a_client(folder: Path) -> None:
    (server,) = of("Spark Connect")
    (client,) = of("Spark Connect", "python")
    port = free_port()
    with (folder / "lake.conf").open("a") as settings:
        settings.write(f"spark.connect.grpc.binding.address {HOST}\n")
        settings.write(f"spark.connect.grpc.binding.port {port}\n")
    (folder / "client.py").write_text(client.replaced({"127.0.0.1:15002": f"{HOST}:{port}"}))

    with listening(server.text, folder, port):
        printed = shell("python client.py", folder)

    assert printed == "3 rows\n"


def test_the_thrift_server_and_beeline(folder: Path) -> None:
    server, client = of("Thrift server")
    port = free_port()
    place = {"HIVE_SERVER2_THRIFT_BIND_HOST": HOST, "HIVE_SERVER2_THRIFT_PORT": str(port)}

    with listening(server.text, folder, port, **place):
        printed = shell(client.replaced({"127.0.0.1:10000": f"{HOST}:{port}"}), folder)

    assert "| 3         |" in printed


def test_transactions_over_thrift(folder: Path, lake: Lake) -> None:
    (server, _) = of("Thrift server")
    port = free_port()
    place = {"HIVE_SERVER2_THRIFT_BIND_HOST": HOST, "HIVE_SERVER2_THRIFT_PORT": str(port)}

    def session(*statements: str) -> str:
        (folder / "statements.sql").write_text(";\n".join(["USE lake", *statements, ""]))
        client = f"beeline -u jdbc:hive2://{HOST}:{port} --silent=true --outputformat=csv2"
        return shell(f"{client} -f statements.sql 2>&1", folder)

    count = "SELECT 'rows', count(*) FROM visits"
    insert = "INSERT INTO visits VALUES (9, 'late')"
    with listening(server.text, folder, port, **place):
        left = session("START TRANSACTION", insert, count)
        rolled = session(count, "START TRANSACTION", insert, count, "ROLLBACK", count)
        assert visits(lake) == {"start": 3}
        committed = session("START TRANSACTION", insert, insert, "COMMIT", count)

    assert counts(left) == [4]
    assert counts(rolled) == [3, 4, 3]
    assert counts(committed) == [5]
    assert visits(lake) == {"start": 3, "late": 2}


def test_transactions_in_the_shell(folder: Path, lake: Lake) -> None:
    (command,) = of("spark-sql")
    insert = "INSERT INTO visits VALUES (9, 'late')"
    count = "SELECT 'rows', count(*) FROM visits"
    (folder / "statements.sql").write_text(
        f"USE lake;\nSTART TRANSACTION;\n{insert};\n{count};\nROLLBACK;\n{count};\n"
        f"START TRANSACTION;\n{insert};\nCOMMIT;\n"
    )
    start, _, _ = command.text.partition(" -e ")

    printed = shell(f"{start} -f statements.sql", folder)

    assert counts(printed) == [4, 3]
    assert visits(lake) == {"start": 3, "late": 1}


def counts(printed: str) -> list[int]:
    """The counts among what a shell has printed, with what it says for a terminal in between."""
    return [int(count) for count in re.findall(r"rows[,\t](\d+)", printed)]
