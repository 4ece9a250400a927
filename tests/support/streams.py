"""Folders of files that are read as streams, and written to tables of a lake."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeAlias

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.streaming.query import StreamingQuery

Row: TypeAlias = tuple[Any, ...]
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
