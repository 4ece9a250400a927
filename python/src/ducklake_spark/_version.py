"""The version of the package and of the jar in it."""

from __future__ import annotations

__version__ = "0.1.0"
