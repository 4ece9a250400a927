"""Many sessions that commit to one lake in PostgreSQL: nothing is lost, and nobody starves."""

from __future__ import annotations

import os
import subprocess

import pytest

from support.postgres import PostgresServer

CLASSES = os.environ.get("DUCKLAKE_CATALOG_CLASSPATH")
SECONDS = 20


@pytest.mark.skipif(CLASSES is None, reason="DUCKLAKE_CATALOG_CLASSPATH is not set")
def test_64_sessions_get_their_turns() -> None:
    """The program counts the files, and fails when one is lost or a session starves."""
    assert CLASSES is not None
    program = ["java", "-cp", CLASSES, "ducklake.catalog.commit.ManySessions"]

    with PostgresServer({"max_connections": "300"}) as server:
        place = [server.host, str(server.port), server.create_database(), server.user, str(SECONDS)]
        done = subprocess.run([*program, *place], capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stderr
    assert "commits to a lake: " in done.stdout
