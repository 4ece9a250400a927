"""A notebook that Jupyter's own kernel runs, with a Spark of its own."""

from __future__ import annotations

from pathlib import Path

import nbformat
from nbclient import NotebookClient

from support.forms import environment
from support.lakes import LakeFactory
from support.pages import DOCS, blocks
from support.peer import Peer

CELLS = (
    "spark.sparkContext.setLogLevel('ERROR')",
    "lake",
    "lake.table('visits')",
    "lake.merge_adjacent_files('visits').toPandas()",
    "lake.table('visits').to_df().count()",
    "spark.stop()",
)


def test_the_notebook_of_the_page_shows_a_lake(lakes: LakeFactory, tmp_path: Path) -> None:
    lake = lakes.new("sqlite")
    with Peer(lake, "DATA_INLINING_ROW_LIMIT 0") as peer:
        peer.run("CREATE TABLE visits (id BIGINT, page VARCHAR)")
        peer.run(*[f"INSERT INTO visits VALUES ({number}, 'start')" for number in range(3)])
    (first,) = [
        block.replaced({"ducklake:sqlite:/data/lake.sqlite": lake.uri})
        for block in blocks(DOCS / "deployment.md")
        if block.section == "Notebook"
    ]
    notebook = nbformat.v4.new_notebook(
        cells=[nbformat.v4.new_code_cell(cell) for cell in (first, *CELLS)]
    )

    client = NotebookClient(notebook, kernel_name="python3", timeout=300)
    client.execute(cwd=str(tmp_path), env=environment())

    _, _, shown, table, merge, count, _ = [cell.outputs for cell in notebook.cells]
    assert "<td>visits</td>" in shown[-1].data["text/html"]
    assert "<td>page</td>" in table[-1].data["text/html"]
    assert "application/vnd.jupyter.widget-view+json" in merge[0].data
    assert "files_processed" in merge[-1].data["text/html"]
    assert count[-1].data["text/plain"] == "3"
