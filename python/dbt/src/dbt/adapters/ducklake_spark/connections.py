"""Opens connections: dbt-spark's own for Thrift, else a session of PySpark."""

from __future__ import annotations

from dbt.adapters.contracts.connection import Connection, ConnectionState
from dbt.adapters.exceptions import FailedToConnectError
from dbt.adapters.spark.connections import SparkConnectionManager

from dbt.adapters.ducklake_spark.credentials import LakeMethod


class LakeConnectionManager(SparkConnectionManager):
    """Connections to the Spark that has the lake."""

    TYPE = "ducklake_spark"

    @classmethod
    def open(cls, connection: Connection) -> Connection:
        """Open a connection that is not open.

        Raises:
            FailedToConnectError: Spark does not start, or does not answer.
        """
        is_open = connection.state == ConnectionState.OPEN
        if is_open or connection.credentials.method == LakeMethod.THRIFT:
            return super().open(connection)
        try:
            # PySpark is not needed for Thrift.
            from dbt.adapters.ducklake_spark.session import opened

            connection.handle = opened(connection.credentials)
        except Exception as error:
            told = connection.credentials.without_token(str(error))
            # The cause, which a log would show, may have the token.
            cause = error if told == str(error) else None
            raise FailedToConnectError(f"failed to connect: {told}") from cause
        connection.state = ConnectionState.OPEN
        return connection
