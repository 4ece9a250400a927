"""Azure's store of blobs on loopback: Azurite, over TLS, as Hadoop's client asks for it."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from types import TracebackType

from support.servers import started
from support.session import REPOSITORY

ACCOUNT = "devstoreaccount1"
KEY = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="
"""Azurite's only account, and its key, which is the same everywhere."""

_TRUST = "changeit"


def place() -> Path:
    """The folder with Azurite and Hadoop's client: DUCKLAKE_AZURE, or where the build puts both."""
    return Path(os.environ.get("DUCKLAKE_AZURE") or REPOSITORY / "target/azure")


def program() -> Path:
    """Azurite itself; a path that does not exist where `./sbt azureStore` has not run."""
    return place() / "node_modules/.bin/azurite-blob"


def client_jars() -> str:
    """Hadoop's client of Azure, for `spark.jars`."""
    return ",".join(map(str, sorted(place().glob("*.jar"))))


class Azurite:
    """The server, with a certificate of its own."""

    def __init__(self, folder: Path) -> None:
        """Nothing runs yet; `folder` gets its files and its log."""
        self._folder = folder
        self.certificate = folder / "certificate.pem"
        self._trust = folder / "trust.jks"

    def __enter__(self) -> Azurite:
        """Start it."""
        self._folder.mkdir()
        self._certify()
        self._server, self._port = started(self._start, self._folder / "log")
        return self

    def _start(self, port: int) -> subprocess.Popen[bytes]:
        options = {
            "--blobHost": "127.0.0.1",
            "--blobPort": str(port),
            "--cert": str(self.certificate),
            "--key": str(self._folder / "key.pem"),
            "--location": str(self._folder / "store"),
        }
        words = [word for pair in options.items() for word in pair]
        command = [str(program()), *words, "--disableTelemetry", "--skipApiVersionCheck"]
        with (self._folder / "log").open("w") as log:
            return subprocess.Popen(command, stdout=log, stderr=log)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Stop it."""
        self._server.kill()
        self._server.wait()

    def _certify(self) -> None:
        """A certificate that both engines have to trust."""
        new = ["-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=127.0.0.1"]
        files = ["-keyout", str(self._folder / "key.pem"), "-out", str(self.certificate)]
        names = ["-addext", "subjectAltName=IP:127.0.0.1"]
        keytool = shutil.which("keytool") or "keytool"
        store = ["-keystore", str(self._trust), "-storepass", _TRUST, "-alias", "azurite"]
        for command in (
            ["openssl", "req", "-x509", *new, *files, *names],
            [keytool, "-importcert", "-noprompt", "-file", str(self.certificate), *store],
        ):
            subprocess.run(command, check=True, capture_output=True)

    def secret(self) -> str:
        """The statement by which DuckDB learns how to open the account."""
        endpoint = f"BlobEndpoint=https://127.0.0.1:{self._port}/{ACCOUNT}"
        account = f"DefaultEndpointsProtocol=https;AccountName={ACCOUNT};AccountKey={KEY}"
        return f"CREATE SECRET (TYPE azure, CONNECTION_STRING '{account};{endpoint};')"

    def hadoop(self) -> dict[str, str]:
        """The keys of a catalog, below `spark.sql.catalog.<name>.`."""
        host = f"{ACCOUNT}.dfs.core.windows.net"
        own = {
            f"account.auth.type.{host}": "SharedKey",
            f"account.key.{host}": KEY,
            "abfs.endpoint": f"127.0.0.1:{self._port}",
            "account.hns.enabled": "false",
            "fns.account.service.type": "BLOB",
            "ssl.channel.mode": "Default_JSSE",
            "createRemoteFileSystemDuringInitialization": "true",
        }
        return {f"hadoop.fs.azure.{name}": value for name, value in own.items()}

    def java_options(self) -> str:
        """What a JVM needs to trust the server."""
        trust = "-Djavax.net.ssl.trustStore"
        return f"{trust}={self._trust} {trust}Password={_TRUST}"
