"""How dbt's adapter reaches a server of Spark Connect."""

from __future__ import annotations

import subprocess
from pathlib import Path

from pyspark.sql.connect.client import DefaultChannelBuilder

TOKEN = "a;use_ssl=false b/c%ü"
CONNECTS = """
from dbt.adapters.contracts.connection import Connection
from dbt.adapters.ducklake_spark.connections import LakeConnectionManager
from dbt.adapters.ducklake_spark.credentials import LakeCredentials

given = LakeCredentials(
    method="connect", database="lake", schema="main", host="h", token=%r, user="ann@x;y=z",
    server_side_parameters={"spark.master": "local"},
)
print(given.remote)
try:
    LakeConnectionManager.open(Connection(type="ducklake_spark", name="c", credentials=given))
except Exception:
    traceback.print_exc(file=sys.stdout)
"""


def test_a_token_is_part_of_the_address_and_of_no_error(dbt_python: Path) -> None:
    """A master beside the address is an error that tells the address."""
    code = f"import sys, traceback\n{CONNECTS % TOKEN}"
    done = subprocess.run([str(dbt_python), "-c", code], capture_output=True, text=True, check=True)

    address, _, error = done.stdout.partition("\n")
    channel = DefaultChannelBuilder(address)
    assert (channel.token, channel.userId, channel.host) == (TOKEN, "ann@x;y=z", "h")
    assert "Spark Connect [sc://h:15002/;token=***;user_id=ann%40x%3By%3Dz]" in error
    assert TOKEN not in error
    assert channel.url.params.split(";")[0].partition("=")[2] not in error
