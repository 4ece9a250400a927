"""A real S3 server on loopback: rclone, from its wheel, over a local folder."""

from __future__ import annotations

import subprocess
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

from support import rclone
from support.storeproxy import StoreProxy


@dataclass(frozen=True)
class Bucket:
    """A bucket of a store, and how both engines get at it.

    Attributes:
        folder: where the store keeps the bucket's files, below the same names.
        port: on loopback, of the proxy in front of the store or of the store itself.
        key: the access key's id; its secret follows from it, see `secret_of`.
    """

    name: str
    folder: Path
    port: int
    key: str

    def hadoop(self) -> dict[str, str]:
        """The keys of a catalog, below `spark.sql.catalog.<name>.`."""
        return {f"hadoop.{name}": value for name, value in self.s3a().items()}

    def s3a(self) -> dict[str, str]:
        """Hadoop's own settings."""
        own = {
            "access.key": self.key,
            "secret.key": secret_of(self.key),
            "endpoint": f"http://127.0.0.1:{self.port}",
            "endpoint.region": "us-east-1",
            "path.style.access": "true",
            "connection.ssl.enabled": "false",
            "attempts.maximum": "2",
            "retry.limit": "2",
        }
        return {f"fs.s3a.{name}": value for name, value in own.items()}

    def secret(self) -> str:
        """The statement by which DuckDB learns how to open the bucket."""
        return (
            f"CREATE OR REPLACE SECRET {self.name} (TYPE s3, SCOPE 's3://{self.name}', "
            f"KEY_ID '{self.key}', SECRET '{secret_of(self.key)}', REGION 'us-east-1', "
            f"ENDPOINT '127.0.0.1:{self.port}', URL_STYLE 'path', USE_SSL false)"
        )


def secret_of(key: str) -> str:
    """The secret of an access key."""
    return f"{key}-hush-hush"


class ObjectStore:
    """The server with one account, and a proxy in front of it that sees each request."""

    def __init__(self, folder: Path, key: str = "lakekeeper") -> None:
        """Nothing runs yet.

        Args:
            folder: for the server's files and its log.
            key: the id of its only access key.
        """
        self.folder, self.key = folder, key
        self.root = folder / "root"

    def __enter__(self) -> ObjectStore:
        """Start both."""
        self.root.mkdir(parents=True, exist_ok=True)
        account = f"{self.key},{secret_of(self.key)}"
        self._running = ExitStack()
        serving = rclone.serving("s3", self.root, self.folder / "log", "--auth-key", account)
        self.port = self._running.enter_context(serving)
        self.proxy = StoreProxy(self.port)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Stop both."""
        self.proxy.close()
        self._running.close()

    def bucket(self, name: str) -> Bucket:
        """The bucket of this name, which is made unless it is there."""
        folder = self.root / name
        if not folder.is_dir():
            self._call("mkdir", f":s3:{name}")
        return Bucket(name, folder, self.proxy.port, self.key)

    def put(self, file: Path, place: Path) -> None:
        """Copy a file into the store, to a place in the folder of a bucket."""
        self._call("copyto", str(file), f":s3:{place.relative_to(self.root)}")

    def put_all(self, folder: Path, place: Path) -> None:
        """Copy a folder into the store, to a place in the folder of a bucket."""
        self._call("copy", str(folder), f":s3:{place.relative_to(self.root)}")

    def remove(self, file: Path) -> None:
        """Remove a file from the store; the server would not see that its folder changed."""
        self._call("deletefile", f":s3:{file.relative_to(self.root)}")

    def _call(self, *arguments: str) -> None:
        """Runs the client inside the same program."""
        options = {
            "--s3-provider": "Rclone",
            "--s3-endpoint": f"http://127.0.0.1:{self.port}",
            "--s3-access-key-id": self.key,
            "--s3-secret-access-key": secret_of(self.key),
        }
        words = [word for pair in options.items() for word in pair]
        command = [*rclone.program(), *arguments, *words]
        subprocess.run(command, check=True, capture_output=True)
