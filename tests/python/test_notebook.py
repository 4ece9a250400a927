"""A notebook that Jupyter's own kernel runs, with a Spark of its own."""

from __future__ import annotations

from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

from support.forms import environment
from support.lakes import LakeFactory
from support.pages import DOCS, blocks, of_properties
from support.peer import Peer
from support.session import all_jars
from support.sweep import only_in_the_full_sweep

CELLS = (
    "spark.sparkContext.setLogLevel('ERROR')",
    "lake",
    "lake.table('visits')",
    "lake.merge_adjacent_files('visits').toPandas()",
    "lake.table('visits').to_df().count()",
    "spark.sql('SELECT count(*) FROM lake.visits AT (VERSION => 2)').head()[0]",
    "spark.stop()",
)
STARTED = "from pyspark.sql import SparkSession\nSparkSession.builder.getOrCreate()"
"""What the server of a notebook does before the first cell."""


@pytest.mark.parametrize(
    "is_started",
    [
        pytest.param(False, id="in the cell"),
        pytest.param(
            True,
            id="by the server",
            marks=only_in_the_full_sweep("test_starts.py has a session that runs in every run"),
        ),
    ],
)
def test_the_notebook_of_the_page_shows_a_lake(
    lakes: LakeFactory, tmp_path: Path, is_started: bool
) -> None:
    lake = lakes.new("sqlite")
    with Peer(lake, "DATA_INLINING_ROW_LIMIT 0") as peer:
        peer.run("CREATE TABLE visits (id BIGINT, page VARCHAR)")
        peer.run(*[f"INSERT INTO visits VALUES ({number}, 'start')" for number in range(3)])
    cell, defaults = [
        block for block in blocks(DOCS / "deployment.md") if block.section == "Notebook"
    ]
    settings = dict(of_properties(line) for line in defaults.text.splitlines())
    assert settings.keys() == {"spark.jars", "spark.sql.extensions"}
    if is_started:
        lines = {**settings, "spark.jars": all_jars()}.items()
        (tmp_path / "spark-defaults.conf").write_text("".join(f"{k} {v}\n" for k, v in lines))
    first = cell.replaced({"ducklake:sqlite:/data/lake.sqlite": lake.uri})
    sources = (STARTED if is_started else "", first, *CELLS)
    notebook = nbformat.v4.new_notebook(
        cells=[nbformat.v4.new_code_cell(source) for source in sources]
    )

    client = NotebookClient(notebook, kernel_name="python3", timeout=300)
    client.execute(cwd=str(tmp_path), env=environment(SPARK_CONF_DIR=str(tmp_path)))

    _, _, _, shown, table, merge, count, past, _ = [cell.outputs for cell in notebook.cells]
    assert "<td>visits</td>" in shown[-1].data["text/html"]
    assert "<td>page</td>" in table[-1].data["text/html"]
    assert "application/vnd.jupyter.widget-view+json" in merge[0].data
    assert "files_processed" in merge[-1].data["text/html"]
    assert count[-1].data["text/plain"] == "3"
    assert past[-1].data["text/plain"] == "1"
