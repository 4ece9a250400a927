"""Jars that other people put beside ours; `./sbt toolJars` fetches them."""

from __future__ import annotations

import os

import pytest

from support.session import REPOSITORY


def tool(name: str) -> str:
    """The path of the only jar whose name begins so; without it the test is skipped.

    The folder is DUCKLAKE_TOOLS, which must have it, or the one that the build makes.

    Raises:
        ValueError: DUCKLAKE_TOOLS names a folder that has no such jar, or several.
    """
    folder = os.environ.get("DUCKLAKE_TOOLS", f"{REPOSITORY}/target/tools")
    found = [entry.path for entry in _entries(folder) if entry.name.startswith(name)]
    if not found and "DUCKLAKE_TOOLS" not in os.environ:
        pytest.skip(
            f"there is no jar {name}: run ./sbt toolJars, or name its folder in DUCKLAKE_TOOLS"
        )
    (jar,) = found
    return jar


def _entries(folder: str) -> list[os.DirEntry[str]]:
    return [*os.scandir(folder)] if os.path.isdir(folder) else []
