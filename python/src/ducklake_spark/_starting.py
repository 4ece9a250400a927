"""Starts Spark's JVM without the secrets of catalogs in its command line."""

from __future__ import annotations

import os
import re
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import wraps
from uuid import uuid4

from pyspark.sql import SparkSession
from pyspark.util import default_api_mode

from ducklake_spark import _jvm
from ducklake_spark_catalog.redaction import PATTERN_KEY, is_secret

_CATALOGS = "spark.sql.catalog."

# What `configure` sets beside the keys of catalogs.
_STARTED_WITH = ("spark.jars", "spark.sql.extensions", PATTERN_KEY)

# What PySpark takes out itself where it starts a server of Spark Connect.
_OF_CONNECT = ("spark.remote", "spark.api.mode")


def hide_secrets(builder: SparkSession.Builder) -> None:
    """Let a builder keep secrets of catalogs out of the command line, which everybody may read.

    PySpark starts the JVM by spark-submit with each setting of the builder as `--conf key=value`,
    and gives the same settings to the SparkContext afterwards. When a setting of a catalog is a
    secret, the JVM is started here with the others, and PySpark finds it running. Spark-submit
    itself looks at no setting of a catalog. It does at those of Hadoop, for jars in a bucket:
    `spark.hadoop.` keys are left as they are.
    """
    for name in ("getOrCreate", "create"):
        build = getattr(builder, name, None)
        if build is not None and name not in vars(builder):
            setattr(builder, name, _with_jvm(builder, build))


def _with_jvm(
    builder: SparkSession.Builder, build: Callable[[], SparkSession]
) -> Callable[[], SparkSession]:
    @wraps(build)
    def built() -> SparkSession:
        options = dict(builder._options)
        shown = {key: value for key, value in options.items() if not _is_hidden(key, value)}
        if len(shown) < len(options) and not _jvm.is_running() and not is_remote(options):
            if _is_of_connect(options):
                _set_token(options)
            with _without_remote():
                _jvm.start({key: shown[key] for key in shown if key not in _OF_CONNECT})
        with _without_warnings():
            return build()

    return built


def _is_hidden(key: str, value: str) -> bool:
    if not key.startswith(_CATALOGS):
        return False
    _, _, own = key.removeprefix(_CATALOGS).partition(".")
    return is_secret(own, value)


def is_remote(options: Mapping[str, str]) -> bool:
    """Whether the session is that of a server elsewhere; PySpark starts one for `local` itself."""
    address = options.get("spark.remote", os.environ.get("SPARK_REMOTE", "local"))
    return not address.startswith("local")


def _is_of_connect(options: Mapping[str, str]) -> bool:
    """Whether PySpark is going to start a server of Spark Connect."""
    mode = options.get("spark.api.mode", os.environ.get("SPARK_API_MODE", "")).lower()
    if mode not in ("classic", "connect"):
        mode = default_api_mode()
    named = {"SPARK_CONNECT_MODE_ENABLED", "SPARK_REMOTE"} & os.environ.keys()
    return mode == "connect" or "spark.remote" in options or bool(named)


def _set_token(options: Mapping[str, str]) -> None:
    """Set what a client of the server has to know, as PySpark does just before it starts the JVM.

    The server asks its environment. Without a token it would let in everybody.
    """
    token = options.get("spark.connect.authenticate.token") or str(uuid4())
    os.environ.setdefault("SPARK_CONNECT_AUTHENTICATE_TOKEN", token)


@contextmanager
def _without_warnings() -> Iterator[None]:
    """Without warnings of settings that Spark was started with.

    PySpark starts a server of Spark Connect for `local` with the settings of the builder, and sets
    them once more in the session, which cannot change them.
    """
    with warnings.catch_warnings():
        for key in _STARTED_WITH:
            warnings.filterwarnings("ignore", message=f"Failed to set {re.escape(key)} ")
        yield


@contextmanager
def _without_remote() -> Iterator[None]:
    """Without the variable for which spark-submit would start no JVM for a SparkContext."""
    remote = os.environ.pop("SPARK_REMOTE", None)
    try:
        yield
    finally:
        if remote is not None:
            os.environ["SPARK_REMOTE"] = remote
