"""The macros of the adapter."""

from __future__ import annotations

from pathlib import Path

PACKAGE_PATH = str(Path(__file__).parent)
