"""Errors that Spark reports, as the exceptions of this package."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from pyspark.errors import PySparkException
from pyspark.logger import PySparkLogger

from ducklake_spark.errors import DuckLakeError

# The text of an error: condition, message, SQLSTATE; an error of Spark may quote it.
_TEXT = re.compile(
    r"\[(?P<condition>DUCKLAKE_[A-Z_]+)\] (?P<message>.*?(?:SQLSTATE: (?P<state>\w{5})|\Z))",
    re.DOTALL,
)
_STACK = "\n\nJVM stacktrace:"

# Whether the errors of the statements that run now are not logged: of a thread, or of a task of
# asyncio.
_unlogged = ContextVar("_unlogged", default=False)

_CLASSES: dict[str, type[DuckLakeError]] = {
    kind.condition: kind for kind in DuckLakeError.__subclasses__()
}


def translate(failure: PySparkException) -> PySparkException:
    """The exception of `errors` for an error that Spark reports, or the same exception.

    Args:
        failure: what Spark raised.

    Returns:
        An exception of the class for its condition; `DuckLakeError` for a condition that this
        version of the package does not know; `failure` itself when the error is not ours.

    Example:
        >>> from pyspark.errors import PySparkException
        >>> translate(PySparkException("[DUCKLAKE_READ_ONLY] Cannot change `t`."))
        ReadOnlyError('Cannot change `t`.')
    """
    text = str(failure).partition(_STACK)[0]
    found = _TEXT.search(text)
    if found is None or isinstance(failure, DuckLakeError):
        return failure
    kind = _CLASSES.get(found["condition"], DuckLakeError)
    if failure.getCondition() != found["condition"]:
        return kind(found["message"], errorClass=found["condition"], sql_state=found["state"])
    return kind(
        text[found.start("message") :],
        errorClass=found["condition"],
        messageParameters=failure.getMessageParameters(),
        sql_state=failure.getSqlState() or found["state"],
    )


@contextmanager
def unlogged_errors() -> Iterator[None]:
    """Keep PySpark from logging the errors of a block, which are caught, or reported otherwise.

    Other threads may log theirs meanwhile. The filter stays with the logger, where it is once.
    """
    PySparkLogger.getLogger("SQLQueryContextLogger").addFilter(_is_logged)
    before = _unlogged.set(True)
    try:
        yield
    finally:
        _unlogged.reset(before)


def _is_logged(_: logging.LogRecord) -> bool:
    return not _unlogged.get()


@contextmanager
def translated_errors() -> Iterator[None]:
    """Raise the connector's errors as the classes of `errors`.

    The methods of `Lake` and `Table` do so themselves. Spark reads data later, when a DataFrame is
    shown or collected; wrap that in this to get the same classes.

    Raises:
        DuckLakeError: an error of the connector inside the block.

    Example:
        >>> with translated_errors():
        ...     rows = [1, 2]
    """
    try:
        yield
    except PySparkException as failure:
        translation = translate(failure)
        if translation is failure:
            raise
        raise translation from failure
