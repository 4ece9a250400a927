"""Addresses of catalog databases, for Python's own drivers."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import Literal

from ducklake_spark_catalog.failure import Failure
from ducklake_spark_catalog.redaction import shown

Kind = Literal["sqlite", "duckdb", "postgres"]

_SCHEMES = ("file", "http", "https")
_FORMS = (
    "Give `ducklake:sqlite:<path>`, `ducklake:postgres:<connection>`, `ducklake:<path>` for a "
    "DuckDB file, or a JDBC address of one of these."
)


class OnTheWeb(Failure):
    """The lake is on a web server, from which Python's own drivers do not read."""

    def __init__(self) -> None:
        """The message, which shows nothing of the address."""
        super().__init__(
            "Lakes on the web are read by Spark only.",
            "Use a command that needs Spark, such as `ducklake-spark sql`, or download the file.",
        )


@dataclass(frozen=True)
class Address:
    """A catalog database: the kind, and its file or what PostgreSQL's library takes.

    Attributes:
        is_jdbc: whether the properties behind a `?` are those of Java's driver.
    """

    kind: Kind
    target: str
    is_jdbc: bool = field(default=False, repr=False)

    @property
    def display(self) -> str:
        """For messages; without a password.

        Example:
            >>> Address("sqlite", "/data/l.sqlite").display
            'sqlite:/data/l.sqlite'
        """
        return f"{self.kind}:{shown(self.target)}" if self.kind != "postgres" else "PostgreSQL"


def parse(uri: str) -> Address:
    """The catalog database that an address names.

    Raises:
        OnTheWeb: the lake is on a web server.
        Failure: it names none that this version reads.

    Example:
        >>> parse("ducklake:postgres:dbname=lake host=db").target
        'dbname=lake host=db'
        >>> parse("jdbc:postgresql://db/lake").target
        'postgresql://db/lake'
        >>> parse("ducklake:postgres://me@db/lake").target
        'postgresql://me@db/lake'
        >>> parse("ducklake:/data/lake.ducklake")
        Address(kind='duckdb', target='/data/lake.ducklake')
    """
    scheme, _, rest = uri.strip().partition(":")
    word, colon, after = rest.partition(":")
    if scheme in ("ducklake", "jdbc") and colon and word in ("sqlite", "duckdb"):
        return _file("sqlite" if word == "sqlite" else "duckdb", after)
    if scheme == "jdbc" and word == "postgresql":
        target = f"postgresql:{after}" if after[:2] == "//" else f"postgresql:///{after}"
        return Address("postgres", target, is_jdbc=True)
    if scheme == "ducklake" and colon and word in ("postgres", "postgresql"):
        return Address("postgres", f"postgresql:{after}" if after.startswith("//") else after)
    if word == "mysql":
        raise Failure("A MySQL database is not supported yet.", "Use SQLite, PostgreSQL or DuckDB.")
    is_kind = colon and len(word) > 1 and word.lower() not in _SCHEMES and "/" not in word
    if scheme != "ducklake" or is_kind:
        raise Failure(f"The address `{shown(scheme)}:…` names no kind of catalog database.", _FORMS)
    return _file("duckdb", rest)


def _file(kind: Kind, path: str) -> Address:
    path = path.removeprefix("file://").removeprefix("file:")
    if path.lower().startswith(("http://", "https://")):
        raise OnTheWeb
    if not path or path.startswith(":memory:") or "://" in path:
        raise Failure(f"The address names no local {kind} file: `{shown(path)}`.", _FORMS)
    return Address(kind, os.path.abspath(os.path.expanduser(path)))
