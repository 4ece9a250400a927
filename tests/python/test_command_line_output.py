"""What commands print for people: the text of the data, in a terminal and in a pipe."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import pytest
from ducklake_spark_cli import output

from support.commands import command
from support.lakes import Lake
from support.peer import Peer
from support.terminal import terminal

TIME = datetime(2026, 1, 31, 18, 0, 0, 123456, timezone.utc)


def run(*arguments: str, **options: Any) -> subprocess.CompletedProcess[bytes]:  # noqa: ANN401
    """The command line in a process of its own."""
    path = {"PYTHONPATH": os.pathsep.join(sys.path)}
    program = [sys.executable, "-m", "ducklake_spark_cli", *arguments]
    env = {**os.environ, **path, **options.pop("env", {})}
    return subprocess.run(program, env=env, check=False, timeout=60, **options)


@pytest.mark.parametrize("where", ["pipe", "terminal"])
@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("a:100:b :warning:", "a:100:b :warning:"),
        ("[bold]a[/bold]", "[bold]a[/bold]"),
        (2048, "2048"),
        (TIME, "2026-01-31 18:00:00.123456+00:00"),
        (b"\x00\xff", "00ff"),
        (True, "true"),
        (["a b", None], '["a b", null]'),
        ({"ä": [1]}, '{"ä": [1]}'),
        ("a\x1b[2J\nb\u202e", r"a\x1b[2J\nb\u202e"),
    ],
)
def test_data_is_shown_as_it_is(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    where: str,
    value: object,
    shown: str,
) -> None:
    rows = [{":bug:size_bytes": value, "last": "x"}]
    monkeypatch.setenv("COLUMNS", "80")

    if where == "terminal":
        with terminal() as made, monkeypatch.context() as patched:
            patched.setattr(sys, "stdout", made.stream)
            output.show(rows, as_json=False, empty="", style=output.AS_IT_IS)
        text = made.written.replace("\x1b[1m", "").replace("\x1b[0m", "")
    else:
        output.show(rows, as_json=False, empty="", style=output.AS_IT_IS)
        text = capsys.readouterr().out

    heading, line = text.splitlines()
    assert heading.split() == [":bug:size_bytes", "last"]
    assert line.split("  x")[0].strip() == shown


def test_a_pipe_gets_a_row_on_each_line(capsys: pytest.CaptureFixture[str]) -> None:
    long = "x" * 20_000

    output.show(
        [{"a": long, "b": 1, "c": " "}, {"a": "y", "b": 22, "c": ""}], as_json=False, empty=""
    )

    lines = capsys.readouterr().out.splitlines()
    assert [line.split("  ")[0] for line in lines] == ["a", long, "y"]
    assert [len(line) for line in lines] == [307, 20_007, 306]


def test_a_colour_that_is_forced_changes_no_pipe(lake: Lake) -> None:
    with Peer(lake) as peer:
        peer.run(f"CREATE TABLE {'t' * 200} (id BIGINT)")
    env = {"FORCE_COLOR": "1", "COLUMNS": "80"}

    done = run("tables", "-l", lake.uri, env=env, capture_output=True)

    assert len(done.stdout.splitlines()) == 2
    assert b"\x1b" not in done.stdout


def test_many_files_are_shown_at_once(capsys: pytest.CaptureFixture[str]) -> None:
    rows = [{"path": f"/data/{'x' * 90}/{i}.parquet", "file_size_bytes": i} for i in range(10_000)]
    before = time.thread_time()

    output.show(rows, as_json=False, empty="")

    assert time.thread_time() - before < 5
    assert len(capsys.readouterr().out.splitlines()) == 10_001


@pytest.mark.every_database
def test_times_are_in_utc_wherever_machine_and_writer_are(lake: Lake) -> None:
    with Peer(lake) as peer:
        peer.run("SET GLOBAL TimeZone = 'Asia/Kolkata'", "CREATE TABLE t (id BIGINT)")
        peer.run("SET GLOBAL TimeZone = 'UTC'", "SET TimeZone = 'UTC'")
        query = "SELECT snapshot_time FROM ducklake_snapshots('lake') ORDER BY snapshot_id DESC"
        expected = [str(time) for (time,) in peer.rows(query)]
    env = {"TZ": "America/Bogota"}

    done = run("snapshots", "-l", lake.uri, "--json", env=env, capture_output=True)

    assert [row["snapshot_time"] for row in json.loads(done.stdout)] == expected


@pytest.mark.parametrize("kind", ["sqlite"], indirect=True)
def test_a_name_that_the_encoding_lacks_is_shown_by_its_number(lake: Lake) -> None:
    with Peer(lake) as peer:
        peer.run('CREATE TABLE "ä€" (id BIGINT)')
    env = {"PYTHONIOENCODING": "latin-1"}

    done = run("tables", "-l", lake.uri, env=env, capture_output=True)

    assert b"main         \xe4\\u20ac  " in done.stdout


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
@pytest.mark.parametrize("kind", ["sqlite"], indirect=True)
@pytest.mark.parametrize("more", [(), ("--json",)])
def test_a_full_disk_is_an_error(lake: Lake, more: tuple[str, ...]) -> None:
    with open("/dev/full", "wb") as full:
        done = run("options", "-l", lake.uri, *more, stdout=full, stderr=subprocess.PIPE)

    assert done.returncode == 1
    assert done.stderr == b"Error: [Errno 28] No space left on device\n"


@pytest.mark.parametrize("env", [{"NO_COLOR": "1"}, {"TERM": "dumb"}, {}])
def test_colours_may_be_left_out(env: dict[str, str]) -> None:
    usual = {"TERM": "xterm", "NO_COLOR": ""}

    with terminal() as made:
        address = "ducklake:sqlite:no\x1b[2J.sqlite"
        run("doctor", "-l", address, env=usual | env, stdout=made.stream)

    assert ("\x1b" in made.written) == (not env)
    assert r"no\x1b[2J.sqlite" in made.written


@pytest.mark.parametrize("kind", ["sqlite"], indirect=True)
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["expire", "--older-than", "9999-12-31 23:59-05:00"], "after the year 9999 in UTC"),
        (["expire", "--older-than", "0001-01-01 00:00+05:00"], "is before the year 1 or"),
        (["tables", "--at", "99999999999999999999"], "is not in the range"),
        (["files", "t", "--at", "-1"], "is not in the range"),
    ],
)
def test_a_number_that_is_too_large_is_wrong_use(
    lake: Lake, arguments: list[str], message: str
) -> None:
    done = command(*arguments, "-l", lake.uri)

    assert done.exit_code == 2
    assert message in done.stderr
