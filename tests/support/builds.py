"""What the build made, for tests of the wheel."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]


def built(variable: str, fallback: str) -> Path:
    """What the build made: named by an environment variable, or at its usual place.

    Raises:
        pytest.UsageError: there is neither.
    """
    found = os.environ.get(variable) or max(map(str, REPOSITORY.glob(fallback)), default=None)
    if found is None:
        raise pytest.UsageError(f"nothing at {fallback}: run ./sbt wheel sparkWheels")
    return Path(found)
