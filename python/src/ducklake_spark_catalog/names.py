"""Names with dots between them in one text.

The rules are those of the procedures, so that a text means the same in a command, in a method and
in SQL.
"""

from __future__ import annotations

import re

_NAME = re.compile(r'"(?:[^"]|"")*"|[^".]+')
_SEVERAL = re.compile(rf"(?:{_NAME.pattern})(?:\.(?:{_NAME.pattern}))*")


def names_in(text: str) -> tuple[str, ...]:
    """The names in a text, with dots between them; a name in double quotes may have dots.

    Example:
        >>> names_in("a.b"), names_in('a."b.c"'), names_in("a..b")
        (('a', 'b'), ('a', 'b.c'), ('a..b',))
    """
    if not _SEVERAL.fullmatch(text):
        return (text,)
    return tuple(
        name[1:-1].replace('""', '"') if name.startswith('"') else name
        for name in _NAME.findall(text)
    )
