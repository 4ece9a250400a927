"""Something that happens while a task of Spark reads rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame, functions


@contextmanager
def meanwhile(
    folder: Path, action: Callable[[], None]
) -> Iterator[Callable[[DataFrame, str], DataFrame]]:
    """Runs the action while rows are read, which wait until it is done.

    Args:
        folder: for marks of what has happened; it is made.
        action: runs once, in a thread.

    Yields:
        A function that makes a frame of such rows, of a frame and the name of any of its columns.
    """
    folder.mkdir()
    started, done = folder / "started", folder / "done"

    def wait_for(file: Path) -> None:
        import time

        deadline = time.monotonic() + 120
        while not file.exists():
            if time.monotonic() > deadline:
                raise TimeoutError(f"{file.name} did not happen")
            time.sleep(0.01)

    def hold(value: Any) -> Any:  # noqa: ANN401
        started.touch()
        wait_for(done)
        return value

    def work() -> None:
        wait_for(started)
        try:
            action()
        finally:
            done.touch()

    def held(frame: DataFrame, column: str) -> DataFrame:
        holding = functions.udf(hold, frame.schema[column].dataType, useArrow=False)
        return frame.coalesce(1).withColumn(column, holding(column))

    with ThreadPoolExecutor(1) as pool:
        other = pool.submit(work)
        yield held
        other.result()
