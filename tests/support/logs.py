"""What the connector logs while Spark runs."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from pyspark.sql import SparkSession


@contextmanager
def logged(
    spark: SparkSession, name: str, level: str = "WARN", pattern: str = "%p %m%n"
) -> Iterator[Any]:
    """Collects what a logger says from a level on, in whatever thread.

    Args:
        spark: a session of the JVM.
        name: of the logger.
        level: the least that is collected.
        pattern: of a line.

    Yields:
        A Java object whose text is the lines so far.
    """
    jvm: Any = spark._jvm
    log4j = jvm.org.apache.logging.log4j
    writer = jvm.java.io.StringWriter()
    layout = log4j.core.layout.PatternLayout.newBuilder().withPattern(pattern).build()
    appender = log4j.core.appender.WriterAppender.createAppender(
        layout, None, writer, "collected", False, True
    )
    logger = log4j.LogManager.getContext(False).getLogger(name)
    before = logger.getLevel()
    appender.start()
    log4j.core.config.Configurator.setLevel(name, log4j.Level.valueOf(level))
    logger.addAppender(appender)
    try:
        yield writer
    finally:
        logger.removeAppender(appender)
        log4j.core.config.Configurator.setLevel(name, before)
