"""The processes that work on the lake: started, killed, paused, and started again."""

from __future__ import annotations

import contextlib
import itertools
import os
import signal
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from subprocess import Popen, TimeoutExpired

from chaos.worker import OVER, Engine, Task
from chaos.workload import Role
from concurrency.victims import victim
from support.lakes import Lake

END_SECONDS = 240
STUCK_SECONDS = 90
LEAST = 20
"""So many operations the sessions of a process begin before it may be killed."""
MOST_SESSIONS = 10
"""Of a process."""


@dataclass(frozen=True)
class End:
    """A process that ended by itself.

    Attributes:
        code: what it returned; below zero the signal that ended it.
        said: the end of what it said.
        was_struck: whether anything befell the run while it worked.
    """

    code: int
    said: str
    was_struck: bool

    def __str__(self) -> str:
        """What a report says."""
        return f"with {self.code}: {self.said}"


@dataclass
class Member:
    """A process and its successors.

    Attributes:
        kind: what a report calls such processes.
        program: the module that it runs.
        task: of the next process, which gets a new one each time.
        settings: of its Spark.
        folder: where it works, and where it is told to end.
        least: how much its process does before it is killed, unless it is stuck.
        ended: the processes that ended by themselves.
        progress: the last number that the process printed; -1 before the first.
        was_struck: whether anything befell the run since the process was started.
    """

    kind: str
    program: str
    task: Callable[[], Mapping[str, object]]
    lake: Lake
    settings: Mapping[str, str]
    folder: Path
    least: int = 1
    progress: int = -1
    ended: list[End] = field(default_factory=list)
    was_struck: bool = False
    _running: contextlib.ExitStack = field(default_factory=contextlib.ExitStack)
    _process: Popen[str] | None = None
    _since: float = 0

    def start(self) -> None:
        """Start a process."""
        self.folder.mkdir(exist_ok=True)
        running = victim(
            self.program, self.task(), self.lake, self.folder, own_settings=self.settings
        )
        self._process = self._running.enter_context(running)
        self.progress, self._since, self.was_struck = -1, time.monotonic(), False
        threading.Thread(target=self._read, args=(self._process.stdout,), daemon=True).start()

    def _read(self, lines: Iterable[str]) -> None:
        with contextlib.suppress(ValueError):  # closed, as the process was killed
            for line in lines:
                self.progress = int(line)

    def may_be_killed(self) -> bool:
        """Whether it has done enough, or has had enough time for it."""
        return self.progress >= self.least or time.monotonic() > self._since + STUCK_SECONDS

    def kill(self) -> None:
        """End the process and all that it started at once, whatever it does."""
        self._running.close()
        self._process = None

    @contextlib.contextmanager
    def paused(self) -> Iterator[None]:
        """It stands still, with all that it holds."""
        assert self._process is not None
        os.killpg(self._process.pid, signal.SIGSTOP)
        try:
            yield
        finally:
            os.killpg(self._process.pid, signal.SIGCONT)

    def mend(self) -> None:
        """Start another one if the process has ended by itself."""
        code = None if self._process is None else self._process.poll()
        if code is not None:
            said = (self.folder / "errors.txt").read_text()[-3000:]
            self.ended.append(End(code, said, self.was_struck))
            self.kill()
        if self._process is None:
            self.start()

    def end(self) -> None:
        """Let it come to its end. Errors: TimeoutError when it does not."""
        (self.folder / OVER).touch()
        deadline = time.monotonic() + END_SECONDS
        try:
            while self._process is None or self._process.wait(deadline - time.monotonic()) != 0:
                self.mend()
        except TimeoutExpired as late:
            ends = [str(each) for each in self.ended[-2:]]
            raise TimeoutError(f"{late}; it ended {ends}") from late
        self.kill()


class Muster:
    """Engages workers for a run: each of their sessions has a number of its own."""

    def __init__(self, folder: Path, seed: int) -> None:
        """Make a place for journals.

        Args:
            folder: of the run.
            seed: of what its sessions do.
        """
        self._folder, self._seed = folder, seed
        self._numbers = itertools.count(1, MOST_SESSIONS)
        self.journals = folder / "journals"
        self.journals.mkdir()

    def task(self, engine: Engine, roles: tuple[Role, ...]) -> Task:
        """New sessions, with a journal that nobody else writes to."""
        first = next(self._numbers)
        folder = self._folder / f"worker{first}"
        return Task(engine, roles, first, self._seed, str(folder), str(self.journals / str(first)))

    def worker(
        self, engine: Engine, roles: tuple[Role, ...], seen: Lake, settings: Mapping[str, str]
    ) -> Member:
        """A process of sessions. All its successors are told in one folder to end."""
        folder = self._folder / f"worker{next(self._numbers)}"

        def task() -> dict[str, object]:
            return replace(self.task(engine, roles), folder=str(folder)).given(seen)

        return Member(f"{engine}s", "chaos.worker", task, seen, settings, folder, LEAST)


@contextlib.contextmanager
def working(members: list[Member]) -> Iterator[None]:
    """All of them work; at the end none is left, however it comes."""
    try:
        for member in members:
            member.start()
        yield
    finally:
        for member in members:
            member.kill()
