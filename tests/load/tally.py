"""What sessions did and how long it took them, as figures of a table."""

from __future__ import annotations

import math
import threading
from collections import Counter, defaultdict


def percentile(values: list[float], share: float) -> float:
    """The smallest value that this share of the values does not exceed.

    Args:
        values: at least one, in any order.
        share: above 0, at most 1.
    """
    return sorted(values)[math.ceil(share * len(values)) - 1]


class Tally:
    """Counts for all sessions of a run; any thread may add to it."""

    def __init__(self) -> None:
        """Nothing has happened yet."""
        self._lock = threading.Lock()
        self._seconds: defaultdict[str, list[float]] = defaultdict(list)
        self.by_session: Counter[int] = Counter()
        self.refused: Counter[str] = Counter()

    def done(self, session: int, kind: str, seconds: float) -> None:
        """A session has done an operation."""
        with self._lock:
            self._seconds[kind].append(seconds)
            self.by_session[session] += 1

    def refuse(self, code: str) -> None:
        """An operation was refused for a reason that the pages name."""
        with self._lock:
            self.refused[code] += 1

    def table(self, seconds: float) -> str:
        """Markdown: how often each kind was done in so many seconds, and how long it took."""
        lines = ["| operation | done | per second | median ms | p99 ms |", "|---|--:|--:|--:|--:|"]
        for kind, times in sorted(self._seconds.items()):
            lines.append(_row(kind, times, seconds))
        together = [time for times in self._seconds.values() for time in times]
        lines.append(_row("all", together, seconds))
        least, most = min(self.by_session.values()), max(self.by_session.values())
        lines += [
            "",
            f"operations of a session: {least} to {most}, fairness {self.fairness():.3f}",
            *(f"refused: {code} {count}" for code, count in self.refused.most_common()),
        ]
        return "\n".join(lines)

    def fairness(self) -> float:
        """Jain's index of the operations per session: 1 for equal ones, 1/n when one did all."""
        counts = self.by_session.values()
        return sum(counts) ** 2 / (len(counts) * sum(count**2 for count in counts))


def _row(kind: str, times: list[float], seconds: float) -> str:
    median, last = (percentile(times, share) * 1000 for share in (0.5, 0.99))
    return f"| {kind} | {len(times)} | {len(times) / seconds:.1f} | {median:.0f} | {last:.0f} |"
