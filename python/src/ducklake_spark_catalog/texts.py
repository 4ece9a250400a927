"""Texts as constants of Spark's SQL."""

from __future__ import annotations

import re

# What Spark may read as something else: quotes and backslashes by a setting of the session, `${` as
# a setting or a variable of the environment.
_CHANGED = re.compile(r"['\\]|\$\{")


def constant(text: str) -> str:
    """A text as a constant that every session reads alike: its bytes where quotes would not do.

    Example:
        >>> constant("its"), constant("it's")
        ("'its'", "CAST(X'69742773' AS STRING)")
    """
    if _CHANGED.search(text):
        return f"CAST(X'{text.encode().hex().upper()}' AS STRING)"
    return f"'{text}'"
