"""The folder with the files of a lake: the stored one, or that of the settings."""

from __future__ import annotations

import os
import posixpath
import re

from ducklake_spark_catalog.failure import Failure

_REMOTE = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+)://([^/]*)(.*)", re.DOTALL)
_SAME = {"s3a": "s3", "s3n": "s3", "gcs": "gs"}


def in_force(stored: str, wanted: str | None, *, overrides: bool) -> str:
    """The folder that Spark uses.

    Args:
        stored: in the catalog.
        wanted: the setting `data-path`.
        overrides: the setting `override-data-path`.

    Raises:
        Failure: the two differ, and none overrides the other.

    Example:
        >>> in_force("/data/", "/data", overrides=False), in_force("/data/", "/x", overrides=True)
        ('/data/', '/x')
    """
    if wanted is None:
        return stored
    if not overrides and _comparable(wanted) != _comparable(stored):
        raise Failure(
            f"Setting `data-path` is `{wanted}`, but the lake stores its files in `{stored}`.",
            "Leave the setting out, or set `override-data-path` to read from the given path.",
        )
    return wanted if overrides else stored


def scheme(path: str) -> str:
    """The scheme of a path that is not on this machine; empty for one that is.

    Example:
        >>> scheme("s3://bucket/x/"), scheme("file:///x/"), scheme("C:/x/")
        ('s3', '', '')
    """
    found = _REMOTE.match(path)
    return found[1] if found and found[1].lower() != "file" else ""


def local(path: str) -> str:
    """A path on this machine without `file:`, and with the home folder for `~`.

    Example:
        >>> local("file:///data/"), local("file:/data/"), local("data/")
        ('/data/', '/data/', 'data/')
    """
    if path.startswith("file://"):
        return "/" + path.removeprefix("file://").lstrip("/")
    return os.path.expanduser(path) if path.startswith("~/") else path.removeprefix("file:")


def _comparable(path: str) -> str:
    """One spelling for paths that name the same place by their text alone.

    Example:
        >>> _comparable("s3a://Bucket/a//b/../c/"), _comparable("/a/./b/")
        ('s3://bucket/a/c', '/a/b')
    """
    found = _REMOTE.match(path) if scheme(path) else None
    if found is None:
        return os.path.abspath(local(path))
    store, inside = found[1].lower(), posixpath.normpath("/" + found[3].lstrip("/"))
    return f"{_SAME.get(store, store)}://{found[2].lower()}{inside}"
