"""A server of Spark Connect inside the JVM of a session, so that no second Spark is needed."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from pyspark.sql import SparkSession

_PREFIX = "spark.connect.grpc.binding."


@contextmanager
def serving(spark: SparkSession) -> Iterator[str]:
    """The address of a server on loopback; its sessions share the Spark context of this one.

    Raises:
        ConnectionRefusedError: the JVM has a server already.
    """
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    context: Any = spark.sparkContext._jsc.sc()
    context.conf().set(f"{_PREFIX}address", "127.0.0.1").set(f"{_PREFIX}port", str(port))
    jvm: Any = spark._jvm
    service = jvm.org.apache.spark.sql.connect.service.SparkConnectService
    service.start(context)  # A JVM has one: a second start does nothing, and a client waits long.
    socket.create_connection(("127.0.0.1", port)).close()
    yield f"sc://127.0.0.1:{port}"
    service.stop(jvm.scala.Option.empty(), jvm.scala.Option.empty())


def connected(address: str) -> SparkSession:
    """A new session of a client, which behaves like a classic one but is not of its class."""
    from pyspark.sql.connect.session import SparkSession as RemoteSession

    made: Any = RemoteSession.builder.remote(address).create()
    session: SparkSession = made
    return session
