"""What a profile says: how Spark is reached, and which of its catalogs is the lake."""

from __future__ import annotations

from dataclasses import dataclass, field
from urllib.parse import quote

from dbt.adapters.spark.connections import SparkCredentials
from dbt_common.dataclass_schema import StrEnum
from dbt_common.exceptions import DbtRuntimeError


class LakeMethod(StrEnum):
    """The ways to Spark: one in this process, a server of Spark Connect, a Thrift server."""

    SESSION = "session"
    CONNECT = "connect"
    THRIFT = "thrift"


_PORTS = {LakeMethod.SESSION: 0, LakeMethod.CONNECT: 15002, LakeMethod.THRIFT: 10000}


@dataclass
class LakeCredentials(SparkCredentials):
    """The keys of dbt-spark, with these differences.

    `database` is the catalog under which Spark has the lake. `uri` registers the lake for the
    session, in place of settings of Spark. `method`, `host` and `port` have defaults.
    """

    method: LakeMethod = field(default=LakeMethod("session"))
    database: str | None = None
    host: str | None = "localhost"
    port: int | None = None
    uri: str | None = None
    server_side_parameters: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Refuse what cannot work.

        Raises:
            DbtRuntimeError: a key is missing, or does not go with the method.
        """
        catalog = self.database
        if not catalog:
            raise DbtRuntimeError(
                "Must specify `database` in profile: the catalog under which Spark has the lake, "
                "such as `lake`"
            )
        if self.uri and self.method == LakeMethod.THRIFT:
            raise DbtRuntimeError(
                "`uri` is for the methods session and connect; for thrift register the lake with "
                "the server, or by `server_side_parameters`"
            )
        self.database = None  # dbt-spark refuses any
        super().__post_init__()
        self.database = catalog
        self.port = self.port or _PORTS[self.method]
        # Replaces the partitions that get rows; without keys a table is one partition.
        self.server_side_parameters.setdefault(
            "spark.sql.sources.partitionOverwriteMode", "dynamic"
        )
        if self.method == LakeMethod.THRIFT:
            # A Thrift server makes only keys with this prefix settings of the session.
            self.server_side_parameters = {
                f"set:hiveconf:{key}": value for key, value in self.server_side_parameters.items()
            }

    @property
    def type(self) -> str:
        """The name of the adapter."""
        return "ducklake_spark"

    @property
    def remote(self) -> str:
        """The address of the server of Spark Connect."""
        given = {"use_ssl": self.use_ssl and "true", "token": self.token, "user_id": self.user}
        parts = [f";{key}={quote(str(value), safe='')}" for key, value in given.items() if value]
        return f"sc://{self.host}:{self.port}/" + "".join(parts)

    def without_token(self, text: str) -> str:
        """A text with `***` in place of the token, plain or as in the address."""
        for secret in (self.token, quote(self.token or "", safe="")):
            text = text.replace(secret, "***") if secret else text
        return text

    def _connection_keys(self) -> tuple[str, ...]:
        """What `dbt debug` shows; not the address, which may have a password."""
        return "method", "host", "port", "database", "schema"
