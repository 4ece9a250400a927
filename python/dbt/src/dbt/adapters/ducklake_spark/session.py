"""Statements in a session of PySpark, in this process or over Spark Connect."""

from __future__ import annotations

from dbt.adapters.spark.session import Connection, Cursor, SessionConnectionWrapper
from dbt_common.exceptions import DbtRuntimeError
from pyspark.errors import PySparkException
from pyspark.sql import Row, SparkSession

from dbt.adapters.ducklake_spark.credentials import LakeCredentials, LakeMethod


class _SessionCursor(Cursor):
    """One statement at a time; dbt-spark's cursor would ask for a session with Hive each time."""

    def __init__(self, spark: SparkSession) -> None:
        super().__init__()
        self._spark = spark

    def execute(self, sql: str, *parameters: object) -> None:
        try:
            self._df = self._spark.sql(sql % parameters if parameters else sql)
        except PySparkException as error:
            raise DbtRuntimeError(str(error)) from error

    def fetchall(self) -> list[Row] | None:
        try:
            rows: list[Row] | None = super().fetchall()
        except PySparkException as error:
            raise DbtRuntimeError(str(error)) from error
        return rows


class _SessionConnection(Connection):
    def __init__(self, spark: SparkSession) -> None:
        super().__init__()
        self._spark = spark

    def cursor(self) -> Cursor:
        return _SessionCursor(self._spark)


def opened(credentials: LakeCredentials) -> SessionConnectionWrapper:
    """A connection to the session of this process, which the first call starts.

    Raises:
        DbtRuntimeError: the profile has a `uri`, and the package ducklake-spark is not installed.
    """
    builder = SparkSession.builder
    if credentials.method == LakeMethod.CONNECT:
        builder = builder.remote(credentials.remote)
    for key, value in credentials.server_side_parameters.items():
        builder = builder.config(key, value)
    if credentials.uri:
        builder = _registered(builder, str(credentials.database), credentials.uri)
    return SessionConnectionWrapper(_SessionConnection(builder.getOrCreate()))


def _registered(builder: SparkSession.Builder, name: str, uri: str) -> SparkSession.Builder:
    try:
        import ducklake_spark
    except ImportError as error:
        raise DbtRuntimeError(
            "`uri` in the profile needs the package ducklake-spark: "
            "pip install 'dbt-ducklake-spark[session]'"
        ) from error
    return ducklake_spark.configure(builder, name, uri)
