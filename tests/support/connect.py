"""A server of Spark Connect inside the JVM of a session, so that no second Spark is needed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from pyspark.sql import SparkSession

_PREFIX = "spark.connect.grpc.binding."


@contextmanager
def serving(spark: SparkSession) -> Iterator[str]:
    """The address of a server on loopback; its sessions share the Spark context of this one.

    Raises:
        AssertionError: the JVM has a server already, of which it can have one.
    """
    context: Any = spark.sparkContext._jsc.sc()
    # The system chooses the port.
    context.conf().set(f"{_PREFIX}address", "127.0.0.1").set(f"{_PREFIX}port", "0")
    jvm: Any = spark._jvm
    kind = getattr(jvm.org.apache.spark.sql.connect.service, "SparkConnectService$")
    service = getattr(kind, "MODULE$")
    assert not service.started(), "a second start would do nothing"
    service.start(context)
    try:
        yield f"sc://127.0.0.1:{service.localPort()}"
    finally:
        service.stop(jvm.scala.Option.empty(), jvm.scala.Option.empty())


def connected(address: str) -> SparkSession:
    """A new session of a client, which behaves like a classic one but is not of its class."""
    from pyspark.sql.connect.session import SparkSession as RemoteSession

    made: Any = RemoteSession.builder.remote(address).create()
    session: SparkSession = made
    return session
