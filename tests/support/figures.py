"""How much a run compared, printed at its end."""

from __future__ import annotations

from collections import Counter

compared: Counter[str] = Counter()


def summary() -> str:
    """One line; empty when nothing was counted."""
    return ", ".join(f"{compared[what]:,} {what}" for what in sorted(compared))
