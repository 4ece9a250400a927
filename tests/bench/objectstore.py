"""TPC-H on a lake in a bucket, against bare Parquet over the same objects: times and requests."""

from __future__ import annotations

import time
from dataclasses import replace

from pyspark.sql import SparkSession

from bench import contest, data
from support.lakes import Lake
from support.objectstore import Bucket, ObjectStore


def _bare(spark: SparkSession, lake: Lake, bucket: Bucket, **more: str) -> SparkSession:
    """A session whose names are plain Parquet over the very same objects."""
    bare = spark.newSession()
    for table in data.TABLES:
        paths = [path.replace("s3://", "s3a://", 1) for path in data.files(lake, table)]
        frame = bare.read.options(**bucket.s3a(), **more).parquet(*paths)
        frame.createOrReplaceTempView(table)
    return bare


REST = 3.0
"""Seconds before each run.

S3A keeps what it read in memory until nobody asked for it for a second, and looks every five
seconds; two rests and the other contender's run are longer than that.
"""


def object_store(scale: float) -> None:
    """The 22 queries straight from the server, where each run reads from the store.

    Two warm-ups and five runs, because the rests take long.
    """
    _times(scale, REST, warm_ups=2, runs=5)


def object_store_again(scale: float) -> None:
    """The same without rests: Parquet finds what it read a moment ago in S3A's memory."""
    _times(scale, 0)


def _times(
    scale: float, rest: float, *, warm_ups: int = contest.WARM_UPS, runs: int = contest.RUNS
) -> None:
    with ObjectStore(data.ROOT / "store") as store:
        bucket = replace(store.bucket("bench"), port=store.port)
        lake = data.tpch(scale, bucket)
        spark = contest.session({"lake": lake}, stored=True)
        bare, ours = _bare(spark, lake, bucket), spark.newSession()
        ours.sql("USE lake.main")
        outcomes = [
            contest.compare(
                name,
                lambda q=q: bare.sql(q).collect(),
                lambda q=q: ours.sql(q).collect(),
                warm_ups=warm_ups,
                runs=runs,
                rest=rest,
            )
            for name, q in data.queries().items()
        ]
        contest.show(f"TPC-H {scale} on an S3 server, against bare Parquet there", outcomes)


def object_store_requests(scale: float) -> None:
    """How many requests each query makes, through a proxy that counts.

    Bare Parquet reads by Hadoop's default stream, and by the one that lakes use. For the latter it
    opens its files outside of Hadoop's cache of file systems, because that holds the former.
    """
    with ObjectStore(data.ROOT / "store") as store:
        bucket = store.bucket("bench")
        made = data.tpch(scale, replace(bucket, port=store.port))
        lake = replace(made, bucket=bucket)
        spark = contest.session({"lake": lake}, stored=True)
        same = {"fs.s3a.input.stream.type": "classic", "fs.s3a.impl.disable.cache": "true"}
        ours = spark.newSession()
        ours.sql("USE lake.main")
        sessions = [_bare(spark, lake, bucket), _bare(spark, lake, bucket, **same), ours]
        print("\n| query | bare | bare, the same stream | ours |\n|---|---:|---:|---:|")
        sums = [0] * len(sessions)
        for name, text in data.queries().items():
            time.sleep(2 * REST)
            counts = [_counted(store, session, text) for session in sessions]
            sums = [sum(pair) for pair in zip(sums, counts, strict=True)]
            print(f"| {name} | {' | '.join(map(str, counts))} |", flush=True)
        print(f"| all | {' | '.join(map(str, sums))} |")


def _counted(store: ObjectStore, session: SparkSession, query: str) -> int:
    with store.proxy.listed() as requests:
        session.sql(query).collect()
    return len(requests)
