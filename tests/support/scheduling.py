"""How pytest-xdist shares the tests out."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import PurePosixPath

import pytest
from xdist.remote import Producer
from xdist.scheduler import LoadScopeScheduling


class FilesInOneProcess(LoadScopeScheduling):  # type: ignore[misc]
    """The tests of a file run in one process, but for some files.

    `--dist loadgroup` of xdist 3.8 does nothing with pytest 9.2: it renames tests by an attribute
    that is no longer there.
    """

    def __init__(self, config: pytest.Config, log: Producer, spread: Collection[str]) -> None:
        """Tests in files named in `spread` may run in any process."""
        super().__init__(config, log)
        self._spread = spread

    def _split_scope(self, nodeid: str) -> str:
        file = nodeid.partition("::")[0]
        return nodeid if PurePosixPath(file).name in self._spread else file
