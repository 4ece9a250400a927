"""Cases of web servers that answer wrongly, before a lake that somebody publishes."""

from __future__ import annotations

import random
from collections.abc import Iterator

from support import rclone
from support.fuzz.brokenproxy import DAMAGES, LATE_SECONDS, BrokenProxy
from support.fuzz.cases import Cases, Ground
from support.fuzz.outcome import Failure
from support.fuzz.questions import ROWS

_OPTIONS = ("--read-only", "--dir-cache-time", "0s")


class BrokenAnswers(Cases):
    """Runs cases by their numbers; the same number is the same case.

    A damaged answer gives no other rows: either those of the lake, or an error. When the server
    answers well again, the next statement has the rows.
    """

    def __init__(self, ground: Ground) -> None:
        """As for `Cases`; `close` ends the server."""
        super().__init__(ground)
        self._serving = rclone.serving(
            "http", ground.folder, ground.folder.parent / "web.log", *_OPTIONS
        )
        self._proxy = BrokenProxy(self._serving.__enter__())

    def close(self) -> None:
        """Ends server and proxy."""
        self._proxy.close()
        self._serving.__exit__(None, None, None)

    def faults(self, case: int) -> list[str]:
        """Everything that went wrong in a case; each with what was done and asked."""
        chance = random.Random(f"{case} of answers")
        name = chance.choice([*DAMAGES])
        share = chance.choice((0.3, 1.0))
        web = f"http://127.0.0.1:{self._proxy.port}/answers{case}"
        limit = f"{LATE_SECONDS / 3 * 1000:.0f}"
        with self.case(f"answers{case}", web=web, options={"web.timeout-ms": limit}) as (
            _,
            catalog,
        ):
            is_open = chance.randrange(2) and not self.asked(ROWS["other"], catalog)[1]
            questions = chance.sample([*ROWS], 4)
            with self._proxy.damaging(name, chance, share):
                found = [*self._answers(catalog, questions)]
            self.counted["answers damaged"] += self._proxy.damaged
            found += self._whole(catalog, questions[0])
        self.counted["cases"] += 1
        done = f"{share:.0%} of the answers: {name}{', catalog open' if is_open else ''}"
        return [f"case {case}: {fault}\n  after {done}" for fault in found]

    def _answers(self, catalog: str, questions: list[str]) -> Iterator[str]:
        for name in questions:
            answer, faults = self.asked(ROWS[name], catalog)
            yield from faults
            if not isinstance(answer, Failure) and not self.is_right(name, answer):
                yield f"{ROWS[name]}: other rows: {str(answer)[:300]}"
            if isinstance(answer, Failure) and "http://" not in answer.message:
                yield f"{ROWS[name]}: the error names no address: {answer.message[:600]}"

    def _whole(self, catalog: str, name: str) -> Iterator[str]:
        answer, _ = self.asked(ROWS[name], catalog)
        if isinstance(answer, Failure) or not self.is_right(name, answer):
            yield f"{ROWS[name]}, when the server answers well again: {str(answer)[:600]}"
