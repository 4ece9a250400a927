"""TPC-H on a lake in a bucket, against bare Parquet over the same objects: times and requests."""

from __future__ import annotations

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


def object_store(scale: float) -> None:
    """The 22 queries straight from the server, then once more through the proxy that counts."""
    with ObjectStore(data.ROOT / "store") as store:
        counted = store.bucket("bench")
        direct = replace(counted, port=store.port)
        lake = data.tpch(scale, direct)
        spark = contest.session(
            {"lake": lake, "counted": replace(lake, bucket=counted)}, stored=True
        )
        bare, ours = _bare(spark, lake, direct), spark.newSession()
        ours.sql("USE lake.main")
        texts = data.queries()
        outcomes = [
            contest.compare(
                name, lambda q=q: bare.sql(q).collect(), lambda q=q: ours.sql(q).collect()
            )
            for name, q in texts.items()
        ]
        contest.show(f"TPC-H {scale} on an S3 server, against bare Parquet there", outcomes)
        _requests(spark, store, replace(lake, bucket=counted), texts)


def _requests(spark: SparkSession, store: ObjectStore, lake: Lake, texts: dict[str, str]) -> None:
    """Prints how many requests each query makes.

    Bare Parquet gets by Hadoop's cache of file systems, which has the server's own port.
    """
    assert lake.bucket is not None
    uncached = {"fs.s3a.impl.disable.cache": "true"}
    ours, bare = spark.newSession(), _bare(spark, lake, lake.bucket, **uncached)
    ours.sql("USE counted.main")
    print("\n| query | bare | ours |\n|---|---:|---:|")
    for name, text in texts.items():
        counts = []
        for session in (bare, ours):
            with store.proxy.listed() as requests:
                session.sql(text).collect()
            counts.append(len(requests))
        print(f"| {name} | {counts[0]} | {counts[1]} |")
