"""The checker finds each kind of fault that is planted in a history, and none in a clean one."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import pytest

from chaos.checker import Fault, Kind, faults
from chaos.history import History, Journal, Key, Operation, Reading, read
from chaos.refusals import refusal
from chaos.simulated import Simulation

STEPS = 200
SEEDS = range(20)

LIST, OTHER, BAG = Key("list", 1), Key("list", 2), Key("bag", 1)
FIRST = Operation(1, "a", 0, 1, "acknowledged", (LIST, BAG), 5, (), 11)
SECOND = Operation(2, "b", 2, 3, "acknowledged", (LIST, OTHER), 0, (), 12)
FINAL = Reading({LIST: (1, 2), OTHER: (2,), BAG: (1,)}, (999_995, 5))
CLEAN = History((FIRST, SECOND), {1: (11,), 2: (12,)}, FINAL)


def looked(begun: float, *readings: Reading, session: str = "c") -> Operation:
    """An operation that only reads."""
    return Operation(
        int(100 + 10 * begun), session, begun, begun + 0.5, "acknowledged", (), 0, readings
    )


def with_(*operations: Operation) -> History:
    """The clean history with more operations, or with others in the place of those."""
    changed = {each.id: each for each in (*CLEAN.operations, *operations)}
    return replace(CLEAN, operations=tuple(changed.values()))


def at_end(values: dict[Key, tuple[int, ...]]) -> History:
    """The clean history with other rows at the end."""
    return replace(CLEAN, final=replace(FINAL, values={**FINAL.values, **values}))


AT_11 = Reading({LIST: (1,), OTHER: (), BAG: (1,)}, (999_995, 5))
PLANTED: list[tuple[str, Kind, History]] = [
    (
        "acknowledged, in no snapshot",
        "lost commit",
        replace(at_end({LIST: (1,), OTHER: ()}), commits={1: (11,)}),
    ),
    ("values gone", "lost commit", at_end({LIST: (1,), OTHER: ()})),
    ("value gone in one table", "torn commit", at_end({BAG: ()})),
    (
        "two snapshots of one commit",
        "double commit",
        replace(CLEAN, commits={1: (11, 13), 2: (12,)}),
    ),
    ("a row twice", "double commit", at_end({BAG: (1, 1)})),
    (
        "a failed commit",
        "failed, but there",
        with_(replace(SECOND, outcome="failed", snapshot=None)),
    ),
    ("another number", "wrong snapshot", with_(replace(SECOND, snapshot=13))),
    ("a list in another order", "lost update", at_end({LIST: (2, 1)})),
    ("an amount gone", "lost update", replace(CLEAN, final=replace(FINAL, accounts=(999_998, 2)))),
    (
        "both updated what they had read",
        "lost update",
        with_(replace(SECOND, begun=0.5, readings=(Reading({LIST: ()}),))),
    ),
    ("never written", "no snapshot", at_end({BAG: (1, 7)})),
    ("a read of what was never written", "no snapshot", with_(looked(4, Reading({BAG: (7,)})))),
    ("a later value without the earlier", "no snapshot", with_(looked(4, Reading({LIST: (2,)})))),
    ("a read of a row twice", "no snapshot", with_(looked(4, Reading({BAG: (1, 1)})))),
    (
        "half of a commit over two keys",
        "fractured read",
        with_(looked(1.5, Reading({LIST: (1, 2), OTHER: ()}))),
    ),
    (
        "half of a move",
        "fractured read",
        with_(looked(0.5, Reading({}, (999_995, 0)))),
    ),
    (
        "two readings of one transaction",
        "fractured read",
        with_(looked(0.5, Reading({LIST: (1,)}), Reading({BAG: ()}))),
    ),
    ("an old read after a new one", "went back", with_(looked(2.5, FINAL), looked(2.6, AT_11))),
    ("own commit unseen", "went back", with_(looked(4, AT_11, session="b"))),
    ("another's commit unseen", "stale read", with_(looked(4, AT_11))),
    (
        "a snapshot by its number",
        "wrong snapshot",
        with_(looked(4, replace(AT_11, snapshot=12))),
    ),
    (
        "own value missing in its transaction",
        "own write unseen",
        with_(replace(SECOND, readings=(replace(AT_11, is_after_writes=True),))),
    ),
]


def kinds(found: list[Fault]) -> set[Kind]:
    """Kinds of faults."""
    return {each.kind for each in found}


@pytest.mark.parametrize("seed", SEEDS)
def test_a_clean_history_has_no_fault(seed: int) -> None:
    assert faults(Simulation(random.Random(seed)).history(STEPS)) == []


def test_clean_histories_have_outcomes_of_each_kind() -> None:
    history = Simulation(random.Random(0)).history(STEPS)

    outcomes = {(each.outcome, each.id in history.commits) for each in history.operations}

    assert outcomes >= {
        ("acknowledged", True),
        ("failed", False),
        ("unknown", True),
        ("unknown", False),
    }


def test_the_small_history_is_clean() -> None:
    assert (
        faults(with_(looked(1.5, AT_11), looked(4, FINAL), looked(5, replace(AT_11, snapshot=11))))
        == []
    )


@pytest.mark.parametrize(
    ("kind", "history"), [case[1:] for case in PLANTED], ids=[case[0] for case in PLANTED]
)
def test_a_planted_fault_is_found_alone(kind: Kind, history: History) -> None:
    assert kinds(faults(history)) == {kind}


def test_a_journal_keeps_what_a_kill_leaves(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "journal")
    begun = replace(SECOND, ended=None, outcome="unknown", snapshot=None)
    journal.write(begun)
    journal.write(replace(FIRST, readings=(FINAL, AT_11)))
    journal.write(replace(begun, id=3))
    journal.write(replace(SECOND, id=3))
    with journal.file.open("a") as cut:
        cut.write('{"id": 2, "sess')

    assert [*read([journal.file])] == [
        begun,
        replace(FIRST, readings=(FINAL, AT_11)),
        replace(SECOND, id=3),
    ]


def test_an_error_of_a_file_has_a_reason_only_when_the_store_refused() -> None:
    error = "[DUCKLAKE_UNREADABLE_FILE] Cannot read the file s3://a/b.parquet of main.t: "

    assert refusal(f"{error}the store refused access (AccessDenied).")
    assert refusal("HTTP Error: HTTP GET error reading 'http://h/b' (HTTP 403 Forbidden)")
    assert refusal(f"{error}it is not there.") is None
    assert refusal("HTTP Error: HTTP GET error reading 'http://h/b' (HTTP 404 Not Found)") is None
