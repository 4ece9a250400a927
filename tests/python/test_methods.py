"""Which methods there are, and what `help` says."""

from __future__ import annotations

import inspect
import pydoc
import re
from pathlib import Path

import ducklake_spark as dl
import pytest

PROCEDURES = Path(__file__).resolve().parents[2] / "jvm/docs/procedures.md"

OTHER_NAMES = {
    "begin_transaction": "begin",
    "table_changes": "changes",
    "table_insertions": "insertions",
    "table_deletions": "deletions",
    "remove_orphan_files": "delete_orphaned_files",
}
"""Procedures that have another name in Python."""

OF_TRANSACTIONS = {"commit_transaction": "commit", "rollback_transaction": "rollback"}
"""Procedures that are methods of what `begin` returns."""

OTHER_NAMES_OF_TABLES = {"list_files": "files"}
"""What a table says more of than the procedure does."""


NEVER_FAILS = {"names"}
"""What raises no error: the names of columns that are known already."""


def procedures() -> dict[str, str]:
    """Names and arguments, as the page says that is made from the code."""
    rows = re.findall(r"^\| `(\w+)` \| [^|]* \| ([^|]*) \|", PROCEDURES.read_text(), re.MULTILINE)
    return dict(rows)


@pytest.mark.parametrize("procedure", procedures())
def test_every_procedure_is_a_method_of_a_lake(procedure: str) -> None:
    if procedure in OF_TRANSACTIONS:
        method = getattr(dl.Transaction, OF_TRANSACTIONS[procedure])
    else:
        method = getattr(dl.Lake, OTHER_NAMES.get(procedure, procedure))
    arguments = set(re.findall(r"`(\w+)`", procedures()[procedure]))

    known = set(inspect.signature(method).parameters)

    if procedure == "merge_adjacent_files":
        known |= {"show_partitions"}  # the method always shows them
    if procedure.startswith("table_") and procedure != "table_info":
        known |= {"schema_name", "start_snapshot", "end_snapshot"}
    assert arguments <= known


@pytest.mark.parametrize(
    "procedure", [name for name, arguments in procedures().items() if "`table_name`" in arguments]
)
def test_every_procedure_on_a_table_is_a_method_of_a_table(procedure: str) -> None:
    names = {**OTHER_NAMES, **OTHER_NAMES_OF_TABLES}
    method = getattr(dl.Table, names.get(procedure, procedure))

    assert not {"table_name", "schema", "schema_name"} & set(inspect.signature(method).parameters)


def test_help_fits_a_few_screens() -> None:
    text = pydoc.plain(pydoc.render_doc(dl))

    assert len(text.splitlines()) < 110
    for name in ("configure", "Lake", "Table", "DuckLakeError", "merge", "checkpoint"):
        assert name in text


@pytest.mark.parametrize(
    "kind", [dl.Lake, dl.LakeAt, dl.Table, dl.Merge, dl.Schema, dl.Transaction]
)
def test_every_public_method_says_what_it_does(kind: type) -> None:
    for name, member in inspect.getmembers(kind):
        if not name.startswith("_") and (
            inspect.isfunction(member) or isinstance(member, property)
        ):
            says_all(name, inspect.getdoc(member) or "")


def test_every_public_function_says_what_it_does() -> None:
    functions = {
        name: member
        for name, member in vars(dl).items()
        if inspect.isfunction(member) and not name.startswith("_")
    }

    assert functions.keys() == {"configure", "jars", "settings", "translated_errors"}
    for name, member in functions.items():
        says_all(name, inspect.getdoc(member) or "")


def says_all(name: str, text: str) -> None:
    """A sentence, an example, which `test_examples.py` runs, and the errors if there are any."""
    parts = re.findall(r"^(\w+):$", text, re.MULTILINE)
    assert text.partition("\n")[0].endswith((".", ":")), name
    assert "Example" in parts, name
    assert ("Raises" in parts) != (name in NEVER_FAILS), name
