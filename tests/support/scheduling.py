"""How pytest-xdist shares the tests out."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import PurePosixPath

import pytest
from xdist.remote import Producer
from xdist.scheduler import LoadScopeScheduling


class FilesInOneProcess(LoadScopeScheduling):  # type: ignore[misc]
    """The tests of a file run in one process, but for some files; some files run in the same one.

    `--dist loadgroup` of xdist 3.8 does nothing with pytest 9.2: it renames tests by an attribute
    that is no longer there.
    """

    def __init__(
        self,
        config: pytest.Config,
        log: Producer,
        spread: Collection[str],
        together: Collection[str],
    ) -> None:
        """Take the names of files.

        Args:
            config: pytest's.
            log: xdist's.
            spread: whose tests may run in any process.
            together: whose tests run in one process, for what they share is dear.
        """
        super().__init__(config, log)
        self._spread, self._together = spread, together

    def _split_scope(self, nodeid: str) -> str:
        file = nodeid.partition("::")[0]
        name = PurePosixPath(file).name
        if name in self._together:
            return "together"
        return nodeid if name in self._spread else file
