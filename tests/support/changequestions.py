"""The changes of ranges of snapshots, asked from Spark in all forms, and derived from the rows."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from pyspark.sql import SparkSession

from support.lines import CHANGES, has

Values: TypeAlias = tuple[tuple[str, Any], ...]
State: TypeAlias = dict[int, Values]
"""The rows of a table, by row id."""

DEFAULTS = {"c": 7}
"""The columns that are added, with the value that older rows have in them."""


def widened(state: State, columns: Sequence[str]) -> State:
    """The rows with these columns."""
    more = [(name, value) for name, value in DEFAULTS.items() if name in columns]
    return {
        id: (*values, *(pair for pair in more if pair[0] not in dict(values)))
        for id, values in state.items()
    }


def led(before: State, after: State, version: int | None, *, pairs: bool) -> list[dict[str, Any]]:
    """The changes that lead from rows to others; `pairs`: updates are set apart."""
    gone, come = before.items() - after.items(), after.items() - before.items()
    updated = {id for id, _ in gone} & {id for id, _ in come} if pairs else set()
    sides = (("delete", "update_preimage", gone), ("insert", "update_postimage", come))
    return [
        dict(values) | {"rowid": id, "type": image if id in updated else alone, "version": version}
        for alone, image, changed in sides
        for id, values in changed
    ]


@dataclass(frozen=True)
class Question:
    """The changes of a range in one of their forms."""

    first: int
    last: int
    form: str

    @property
    def has_pairs(self) -> bool:
        """Whether updates are distinguished from the rest."""
        return self.form == "feed" or "updates" in self.form

    def query(self, catalog: str) -> str:
        """The text for Spark."""
        if self.form == "feed":
            source = f"ducklake_table_changes('{catalog}', 't', {self.first}, {self.last})"
            names = ("change_type", "snapshot_id")
        else:
            mode = next(name for word, name in MODES.items() if word in self.form)
            modes = f"computeUpdates = '{self.has_pairs}', deduplicationMode = '{mode}'"
            source = f"{catalog}.main.t CHANGES FROM VERSION {self.first} TO VERSION {self.last}"
            source, names = f"{source} WITH ({modes})", ("_change_type", "_commit_version")
        version = "CAST(NULL AS BIGINT)" if "net" in self.form else names[1]
        own = f"rowid, {names[0]} AS type, {version} AS version, k, v, s"
        return f"SELECT {own}{{more}} FROM {source}"

    def answer(self, states: dict[int, State], columns: Sequence[str]) -> list[dict[str, Any]]:
        """The truth."""
        wide = {at: widened(states[at], columns) for at in range(self.first - 1, self.last + 1)}
        if "net" in self.form:
            return led(wide[self.first - 1], wide[self.last], None, pairs=self.has_pairs)
        versions = range(self.first, self.last + 1)
        pairs = self.has_pairs
        return [c for at in versions for c in led(wide[at - 1], wide[at], at, pairs=pairs)]

    def without_moved(self, changes: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """The changes without those that a rewrite makes: both images have the same values."""
        if self.form not in EVERYTHING:
            return changes
        images = ["update_postimage", "update_preimage"] if self.has_pairs else ["delete", "insert"]
        alike: dict[str, list[dict[str, Any]]] = {}
        for change in changes:
            alike.setdefault(json.dumps(change | {"type": ""}, sort_keys=True), []).append(change)
        left = [same for same in alike.values() if sorted(c["type"] for c in same) != images]
        return [change for same in left for change in same]


EVERYTHING = ("feed", "every", "every updates")
"""The forms that also have what a rewrite makes."""
ALL_FORMS = (*EVERYTHING, "plain", "updates", "net", "net updates")
FORMS = ALL_FORMS if has(CHANGES) else ("feed",)
MODES = {"every": "none", "net": "netChanges", "": "dropCarryovers"}
"""The modes of Spark, by a word of the form."""


def asked(spark: SparkSession, catalog: str, questions: Sequence[Question], wide: int) -> list[Any]:
    """What Spark answers, by question; snapshots from `wide` on have the added column."""
    parts = []
    for number, question in enumerate(questions):
        more = ", c" if question.last >= wide else ""
        text = question.query(catalog).format(more=more)
        packed = "to_json(struct(*), map('ignoreNullFields', 'false'))"
        parts.append(f"SELECT {number} AS n, {packed} AS row FROM ({text})")
    found: list[list[dict[str, Any]]] = [[] for _ in questions]
    for row in spark.sql(" UNION ALL ".join(parts)).collect():
        found[row["n"]].append(json.loads(row["row"]))
    return found


def split(changes: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """The changes with each update as a delete and an insert."""
    names = {"update_preimage": "delete", "update_postimage": "insert"}
    return [change | {"type": names.get(change["type"], change["type"])} for change in changes]


def texts(changes: Iterable[dict[str, Any]]) -> list[str]:
    """Changes as texts in one order."""
    return sorted(json.dumps(change, sort_keys=True) for change in changes)
