"""PostgreSQL's password files, read as Spark reads them.

Libpq passes over a file that others may read, such as a secret of Kubernetes; Spark does not.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from ducklake_spark_catalog.failure import Failure

_FIELD = re.compile(r"((?:\\.|[^:\\])*\\?)(:|$)")
_FIELDS = 4


def password_in(file: str, target: Sequence[str]) -> str | None:
    """The password of the first line that fits; None when none does.

    Args:
        file: with lines `host:port:database:user:password`.
        target: host, port, database and user.

    Raises:
        Failure: the file cannot be read.
    """
    try:
        lines = Path(file).read_text(encoding="utf-8").splitlines()
    except (OSError, ValueError) as error:
        raise Failure(
            f"The password file {file} cannot be read ({type(error).__name__}).",
            "Correct its path or its permissions.",
        ) from None
    found = (tuple(_fields(line)) for line in lines if not line.startswith("#"))
    return next(
        (
            password
            for *patterns, password in found
            if len(patterns) == _FIELDS
            and all(p in ("*", value) for p, value in zip(patterns, target, strict=True))
        ),
        None,
    )


def _fields(line: str) -> Iterator[str]:
    r"""The fields of a line, in which a backslash takes the next character for itself.

    Example:
        >>> list(_fields(r"db\:1:5432:*:me:a:b\\c"))
        ['db:1', '5432', '*', 'me', 'a:b\\c']
    """
    rest = line
    for _ in range(_FIELDS):
        field = _FIELD.match(rest)
        if field is None or not field[2]:
            break
        yield _plain(field[1])
        rest = rest[field.end() :]
    yield _plain(rest)


def _plain(text: str) -> str:
    return re.sub(r"\\(.)", r"\1", text)
