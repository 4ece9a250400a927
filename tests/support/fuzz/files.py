"""Cases of broken files: data files and delete files that are cut, changed, swapped or gone."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator

from support.fuzz.cases import Cases, Ground, content, files
from support.fuzz.outcome import Failure
from support.fuzz.questions import ROWS
from support.fuzz.sample import copied
from support.lakes import Lake
from support.puffin import use_containers

FEEDS = tuple(
    f"SELECT * FROM ducklake_table_changes('{{c}}', 'main', '{table}', 0, 30)"
    for table in ("plain", "nested", "merged", "parted")
)
WRITES = (
    "DELETE FROM {c}.main.plain WHERE id > 30",
    "UPDATE {c}.main.merged SET a = a + 100 WHERE a > 3",
    "DELETE FROM {c}.main.nested WHERE s.x = 2",
    "CALL {c}.system.merge_adjacent_files()",
    "CALL {c}.system.rewrite_data_files(delete_threshold => 0.01)",
    "CALL {c}.system.flush_inlined_data()",
    "CALL {c}.system.rollback_to_snapshot('plain', 5)",
)
_IN_PARTS = {"DUCKLAKE_MAINTENANCE_INCOMPLETE", "DUCKLAKE_FLUSH_INCOMPLETE"}


def _cut(chance: random.Random, whole: bytes) -> bytes:
    return whole[: chance.randrange(len(whole))]


def _flipped(chance: random.Random, whole: bytes, first: int) -> bytes:
    changed = bytearray(whole)
    for _ in range(chance.choice((1, 1, 2, 8))):
        changed[chance.randrange(first, len(whole))] = chance.choice((0, 1, 127, 128, 255))
    return bytes(changed)


def _anywhere(chance: random.Random, whole: bytes) -> bytes:
    return _flipped(chance, whole, 0)


def _footer(chance: random.Random, whole: bytes) -> bytes:
    """Changes the footer, of Parquet or of Puffin, which is most of the end of a small file."""
    return _flipped(chance, whole, max(0, len(whole) - 400))


def _end(chance: random.Random, whole: bytes) -> bytes:
    """Changes the length of the footer, and the magic behind it."""
    return _flipped(chance, whole, max(0, len(whole) - 12))


def _blank(chance: random.Random, whole: bytes) -> bytes:
    at = chance.randrange(len(whole))
    size = min(chance.choice((4, 16, 64, 512)), len(whole) - at)
    return whole[:at] + bytes(size) + whole[at + size :]


def _longer(chance: random.Random, whole: bytes) -> bytes:
    return whole + bytes(chance.choice((1, 8, 5000)))


def _doubled(chance: random.Random, whole: bytes) -> bytes:
    at = chance.randrange(len(whole))
    return whole[:at] + whole[at:] * 2


CHANGES: tuple[Callable[[random.Random, bytes], bytes], ...] = (
    *(_cut, _anywhere, _anywhere, _footer, _footer, _end, _blank, _longer, _doubled),
)


class BrokenFiles(Cases):
    """Runs cases by their numbers; the same number is the same case.

    Rows cannot be judged where a byte was changed: the files have no checksums of values. Then only
    the kind of the end counts, and that the session goes on.
    """

    def __init__(self, ground: Ground) -> None:
        """As for `Cases`; every other case has its deletes in Puffin containers."""
        super().__init__(ground)
        self._puffins = copied(ground.sample, ground.folder / "puffins", ground.server)
        use_containers(self._puffins)

    def faults(self, case: int) -> list[str]:
        """Everything that went wrong in a case; each with what was done and asked."""
        chance = random.Random(f"{case} of files")
        sample = self._puffins if case % 2 else None
        with self.case(f"files{case}", sample) as (lake, catalog):
            done = self._broken(lake, chance)
            found = [*self._answers(lake, catalog, chance)]
        self.counted["cases"] += 1
        return [f"case {case}: {fault}\n  after {done}" for fault in found]

    def _broken(self, lake: Lake, chance: random.Random) -> str:
        """Breaks one file, a delete file in one of three cases."""
        every = sorted(path for path in lake.data_path.rglob("*") if path.is_file())
        deletes = [path for path in every if "delete" in path.name]
        file = chance.choice(deletes if chance.randrange(3) == 0 else every)
        whole = file.read_bytes()
        file.unlink()
        way = chance.randrange(12)
        if way == 0:
            file.mkdir()
            return f"{file.name} is a folder"
        if way == 1:
            return f"{file.name} is gone"
        if way == 2:
            other = chance.choice([path for path in every if path != file])
            file.write_bytes(other.read_bytes())
            return f"{file.name} is {other.name}"
        change = chance.choice(CHANGES)
        file.write_bytes(change(chance, whole))
        return f"{file.name}: {change.__name__}"

    def _answers(self, lake: Lake, catalog: str, chance: random.Random) -> Iterator[str]:
        before = files(lake), content(lake)
        for question in (*ROWS.values(), *chance.sample(FEEDS, 2)):
            answer, faults = self.asked(question, catalog)
            yield from (*faults, *self._unnamed(question, answer))
        if (files(lake), content(lake)) != before:
            yield "a read changed the lake"
        (write,) = chance.sample(WRITES, 1)
        answer, faults = self.asked(write, catalog)
        yield from (*faults, *self._unnamed(write, answer))
        is_whole = isinstance(answer, Failure) and answer.condition not in _IN_PARTS
        if is_whole and (files(lake), content(lake)) != before:
            yield f"{write} failed and changed the lake: {answer}"

    def _unnamed(self, question: str, answer: object) -> Iterator[str]:
        if isinstance(answer, Failure) and "data/" not in answer.message:
            yield f"{question}: the error names no file: {answer.message[:600]}"
