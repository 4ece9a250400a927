"""Streams that read a lake, and streams that write to it, each with a checkpoint."""

from __future__ import annotations

import json
import os
import random
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeAlias

import pytest
from pyspark.errors import StreamingQueryException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.streaming.query import StreamingQuery

Row: TypeAlias = tuple[Any, ...]
Rows: TypeAlias = list[Row]
COLUMNS = ("id", "name", "n")


class Feed:
    """A folder of JSON files that is read one file at a time, and the checkpoint of its reader."""

    def __init__(self, spark: SparkSession, folder: Path, name: str = "feed") -> None:
        """An empty folder, and a checkpoint that is not yet there."""
        self.spark, self.folder = spark, folder / name
        self.checkpoint = folder / f"{name}-checkpoint"
        self.folder.mkdir()

    def add(self, *batches: tuple[Row, ...], columns: tuple[str, ...] = COLUMNS) -> None:
        """More files; files are read in the order of their times."""
        for batch in batches:
            number = len(list(self.folder.iterdir()))
            lines = [json.dumps(dict(zip(columns, row, strict=True))) for row in batch]
            hidden, file = (self.folder / f"{mark}{number}.json" for mark in ("_", ""))
            hidden.write_text("\n".join(lines))
            os.utime(hidden, (1_700_000_000 + number, 1_700_000_000 + number))
            hidden.rename(file)

    def frame(self, schema: str = "id INT, name STRING, n INT") -> DataFrame:
        """The stream."""
        stream = self.spark.readStream.schema(schema).option("maxFilesPerTrigger", 1)
        return stream.json(str(self.folder))

    def start(
        self,
        table: str,
        frame: DataFrame | None = None,
        mode: str = "append",
        options: Mapping[str, str] | None = None,
    ) -> StreamingQuery:
        """A query that hands all that is new to the table and ends."""
        writer = (self.frame() if frame is None else frame).writeStream
        return (
            writer.option("checkpointLocation", str(self.checkpoint))
            .options(**(options or {}))
            .outputMode(mode)
            .trigger(availableNow=True)
            .toTable(table)
        )

    def run(
        self,
        table: str,
        frame: DataFrame | None = None,
        mode: str = "append",
        options: Mapping[str, str] | None = None,
    ) -> list[int]:
        """Hands all that is new to the table; the numbers of the epochs that had rows."""
        query = self.start(table, frame, mode, options)
        query.awaitTermination()
        progress = (json.loads(one.json) for one in query.recentProgress)
        return sorted({one["batchId"] for one in progress if one["numInputRows"] > 0})

    def forget_last_commit(self) -> None:
        """As if the process had died after the commit to the lake, before Spark noted it."""
        commits = self.checkpoint / "commits"
        last = max(int(file.name) for file in commits.iterdir() if file.name.isdigit())
        (commits / str(last)).unlink()
        (commits / f".{last}.crc").unlink(missing_ok=True)


class Stream:
    """A stream of a lake with a checkpoint, run again and again until nothing is new."""

    def __init__(self, spark: SparkSession, folder: Path, catalog: str) -> None:
        """A stream that has not begun."""
        self.spark, self.catalog = spark, catalog
        self.checkpoint = folder / "checkpoint"

    def of(self, table: str = "t", **options: object) -> DataFrame:
        """The stream as Spark analyses it now; `_` in the name of an option stands for a hyphen."""
        reader = self.spark.readStream
        for name, value in options.items():
            reader = reader.option(name.replace("_", "-"), str(value))
        return reader.table(f"{self.catalog}.main.{table}")

    def run(
        self, frame: DataFrame, seen: Callable[[Rows], object] = lambda rows: None
    ) -> list[Rows]:
        """The rows of each batch that there is now."""
        batches: list[Rows] = []

        def keep(rows: DataFrame, _: int) -> None:
            found = sorted(map(tuple, rows.collect()))
            seen(found)
            batches.append(found)

        writer = frame.writeStream.foreachBatch(keep).trigger(availableNow=True)
        writer.option("checkpointLocation", str(self.checkpoint)).start().awaitTermination()
        return batches

    def rows(self, frame: DataFrame) -> Rows:
        """The rows of all batches that there are now."""
        return sorted(row for batch in self.run(frame) for row in batch)

    def refused(self, frame: DataFrame, condition: str, *words: str) -> None:
        """The next batch fails for a reason that names these words."""
        with pytest.raises(StreamingQueryException) as raised:
            self.run(frame)
        for word in (f"[{condition}]", *words):
            assert word in str(raised.value)


def random_events(chance: random.Random, epochs: int, keys: int) -> list[tuple[Row, ...]]:
    """Events that come late and repeatedly, but none after its key's delete.

    Equal keys and sequences have equal rows.
    """
    past: list[Row] = []
    batches = []
    ended: dict[int, int] = {}
    for epoch in range(epochs):
        batch: list[Row] = []
        for _ in range(chance.randrange(1, 40)):
            n = epoch * 100 + chance.randrange(-150, 100)
            key = chance.randrange(keys)
            if past and chance.random() < 0.2:
                event = chance.choice(past)
            else:
                op = "d" if chance.random() < 0.15 else "u"
                event = (key, f"{key}-{n}", n, op)
                if any(old[0] == key and old[2] == n for old in past + batch):
                    continue
            if event[2] <= ended.get(event[0], -1000):
                continue
            batch.append(event)
        for event in batch:
            if event[3] == "d":
                ended[event[0]] = max(ended.get(event[0], -1000), event[2])
        past += batch
        batches.append(tuple(batch) or ((0, "0-0", -999, "u"),))
    return batches
