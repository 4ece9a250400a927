"""Cases of broken files with profiles, before the commands of `ducklake-spark` that read them."""

from __future__ import annotations

import random
import re
import shutil
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

from ducklake_spark_cli import profiles

from support.commands import command

FILE = "lakes.toml"
SECRETS = ("geheim-eins", "geheim-zwei", "geheim-drei", "geheim-vier")
NAMES = (
    FILE,
    "sqlite:",
    "duckdb:",
    "PostgreSQL",
    "address",
    "on the web",
    "the lake stores its files in `",
)
"""What a message may name: the file, or a lake that a profile led to."""

_WHOLE = """default = "mine"
[lakes.mine]
uri = "{uri}"
read-only = true
busy-timeout = 2000
"retry.max-count" = 3
password = "geheim-eins"
[lakes.mine.hadoop]
"fs.s3a.secret.key" = "geheim-zwei"
"fs.s3a.path.style.access" = true
[lakes.mine.spark]
"spark.ui.enabled" = false
"spark.hadoop.fs.s3a.secret.key" = "geheim-drei"
[lakes.other]
uri = "ducklake:postgres:host=127.0.0.1 port=1 dbname=lake password=geheim-vier"
metadata-schema = 'main'
"""
LONG_SECONDS = 60
"""A command that takes longer hangs; a busy machine is no fault."""
_COMMANDS = (("snapshots",), ("tables",), ("describe", "t"), ("options", "--json"), ("report",))
_VALUES = (
    *("0", "-1", "3.5", "nan", "-inf", "1e999", "true", "9" * 40, "9" * 5000, "0x_", "1__0"),
    *("0x" + "f" * 5000, f"'{'9' * 5000}'"),
    *('""', '"x"', "''", '"\\u0000"', '"\\ud800"', '"a\\nb"', '"\\u001b[31m"', '"é\\U0001F600"'),
    *('"' + "x" * 5000 + '"', "[]", "[1, 'a']", "{}", "{a = 1}", "{a.b = {c = 2}}", "[[[]]]"),
    *("[" * 3000, "{a=" * 3000, "[" * 200 + "]" * 200, "2026-01-31", "2026-13-45", "18:00:00"),
    *("2026-01-31T12:00:00Z", "9999-12-31T23:59:59-23:59", "0000-00-00", "", "x", "'", '"""', "="),
)
_ADDRESSES = (
    *("ducklake:sqlite:", "ducklake:", "x", "", ":", "ducklake:mysql:x", "jdbc:sqlite:no.sqlite"),
    *(
        "ducklake:postgres:host=a..b dbname=l",
        "ducklake:postgres:host=é..é",
        "ducklake:postgres:port=1",
    ),
    *("ducklake:postgres:host=127.0.0.1 port=x", "ducklake:postgres:port=99999999999999999999"),
    *("ducklake:postgres://u:geheim-vier@127.0.0.1:1/l", "jdbc:postgresql://127.0.0.1:1/l?x=y"),
    *("ducklake:sqlite:a\\u0000b", "ducklake:~nobody/x", "ducklake:http://[", "ducklake:sqlite:/"),
    *(
        "ducklake:postgres:" + "host=h.invalid " * 2000,
        "ducklake:sqlite:" + "x" * 9000,
        "DUCKLAKE:x",
    ),
)
_KEYS = (
    *("uri", "x", '""', '"a b"', "a.b", "spark", "hadoop", "spark.master", "read_only", "lakes"),
    *('"spark.\\u0000"', "snapshot-time", "snapshot-version", '"\\u001b[31m"', "x" * 5000),
    *("data-path", "data_path", "default", '"é"', "'jdbc.'", "'hadoop.'", "a." * 3000 + "b"),
)
_HEADS = (
    *("[lakes]", "[[lakes]]", "[lakes.mine]", "[[lakes.mine]]", "[lakes.mine.spark]", "[]", "[x"),
    *("[default]", "[lakes.'']", "[lakes.mine.hadoop.fs]", "[" + "a." * 3000 + "b]", "[lakes.é]"),
    *('[lakes."\\u001b[31m"]', "[lakes.mine.uri]", "[lakes.other.spark.spark]"),
)


def _line(chance: random.Random, lines: list[str], part: str) -> int:
    """The number of a line with this part, or of any when there is none."""
    return chance.choice([n for n, line in enumerate(lines) if part in line] or range(len(lines)))


def _value(chance: random.Random, lines: list[str]) -> None:
    at = _line(chance, lines, " = ")
    lines[at] = f"{lines[at].partition(' = ')[0]} = {chance.choice(_VALUES)}"


def _address(chance: random.Random, lines: list[str]) -> None:
    lines[_line(chance, lines, "uri = ")] = f'uri = "{chance.choice(_ADDRESSES)}"'


def _key(chance: random.Random, lines: list[str]) -> None:
    at = _line(chance, lines, " = ")
    lines[at] = f"{chance.choice(_KEYS)} = {lines[at].partition(' = ')[2]}"


def _unquoted(chance: random.Random, lines: list[str]) -> None:
    """A key with dots without its quotes, which names tables in tables."""
    at = _line(chance, lines, '" = ')
    lines[at] = lines[at].replace('"', "", 2)


def _head(chance: random.Random, lines: list[str]) -> None:
    at = _line(chance, lines, "[lakes")
    lines[at] = chance.choice(_HEADS)


def _gone(chance: random.Random, lines: list[str]) -> None:
    del lines[chance.randrange(len(lines))]


def _twice(chance: random.Random, lines: list[str]) -> None:
    lines.insert(chance.randrange(len(lines) + 1), chance.choice(lines))


def _more(chance: random.Random, lines: list[str]) -> None:
    """Another key, table, or thousands of them."""
    kind = chance.randrange(3)
    line = f"{chance.choice(_KEYS)} = {chance.choice(_VALUES)}" if kind else chance.choice(_HEADS)
    many = [f"k{n} = {n}" for n in range(20_000)] if chance.randrange(9) == 0 else [line]
    at = chance.randrange(len(lines) + 1)
    lines[at:at] = many


LINES: tuple[Callable[[random.Random, list[str]], None], ...] = (
    *(_value, _value, _address, _address, _key, _unquoted, _head, _gone, _twice, _more),
)


def _cut(chance: random.Random, whole: bytes) -> bytes:
    return whole[: chance.randrange(len(whole))]


def _flipped(chance: random.Random, whole: bytes) -> bytes:
    at = chance.randrange(len(whole))
    other = bytes([chance.choice((0, 7, 10, 13, 27, 34, 46, 61, 91, 93, 127, 128, 195, 255))])
    return whole[:at] + other + whole[at + 1 :]


def _put_in(chance: random.Random, whole: bytes) -> bytes:
    at = chance.randrange(len(whole))
    return (
        whole[:at] + chance.choice((b"\xef\xbb\xbf", b"\xed\xa0\x80", b"\r", b'"""')) + whole[at:]
    )


def _coded(chance: random.Random, whole: bytes) -> bytes:
    coding = chance.choice(("utf-16", "utf-16-be", "utf-32", "utf-8-sig", "cp037"))
    return whole.decode().encode(coding)


def _other_lines(chance: random.Random, whole: bytes) -> bytes:
    return whole.replace(b"\n", chance.choice((b"\r\n", b"\r", b"\0", b"\xc2\x85")))


BYTES: tuple[Callable[[random.Random, bytes], bytes], ...] = (
    *(_cut, _flipped, _flipped, _put_in, _coded, _other_lines),
)


class BrokenProfiles:
    """Runs cases by their numbers; the same number is the same case.

    `counted` has how many commands ended in which way.
    """

    def __init__(self, uri: str, folder: Path) -> None:
        """Takes the address of a lake with a table `t`, and an empty folder."""
        self._whole = _WHOLE.format(uri=uri)
        self._file = folder / FILE
        self.counted: Counter[str] = Counter()

    def faults(self, case: int) -> list[str]:
        """Everything that went wrong in a case; each with what was done and asked."""
        chance = random.Random(f"{case} of profiles")
        done, text = self._broken(chance)
        found = [*self._ends(chance, text)]
        shutil.rmtree(self._file) if self._file.is_dir() else self._file.unlink()
        self.counted["cases"] += 1
        return [f"case {case}: {fault}\n  after {done}" for fault in found]

    def _broken(self, chance: random.Random) -> tuple[str, str]:
        """What was done, and the text that is left of the whole file."""
        if chance.randrange(60) == 0:
            self._file.mkdir()
            return "a folder", ""
        lines, done = self._whole.splitlines(), []
        for _ in range(chance.choice((0, 1, 1, 1, 2, 3))):
            change = chance.choice(LINES)
            change(chance, lines)
            done.append(change.__name__)
        content = ("\n".join(lines) + "\n").encode()
        if not done or chance.randrange(4) == 0:
            damage = chance.choice(BYTES)
            content = damage(chance, content)
            done.append(damage.__name__)
        self._file.write_bytes(content)
        return ", ".join(done), content.decode("utf-8", "replace")

    def _ends(self, chance: random.Random, text: str) -> Iterator[str]:
        for profile in ((), ("--lake", "mine"), ("--lake", "other")):
            asked = (*chance.choice(_COMMANDS), *profile, "--config", str(self._file))
            began = time.monotonic()
            ended = command(*asked)
            seconds = time.monotonic() - began
            shown = f"{asked[0]} {' '.join(profile)}"
            if not isinstance(ended.exception, SystemExit | None):
                trace = "".join(traceback.format_exception(ended.exception)[-3:])
                yield f"{shown}: a trace of Python: {trace[:900]}"
            if seconds > LONG_SECONDS:
                yield f"{shown}: {seconds:.0f} seconds"
            yield from (f"{shown}: {fault}" for fault in _wrong(ended.output, ended.exit_code))
            if (secret := _secret_in(ended.output, text)) is not None:
                yield f"{shown}: {secret} is shown: {ended.output[:900]}"
            self.counted[_kind(ended.exit_code, ended.output)] += 1
        try:
            profiles.names(str(self._file))
        except Exception as failure:  # A shell would show it to whoever presses Tab.
            yield f"completion: {failure!r}"


def _wrong(output: str, code: int) -> Iterator[str]:
    if code not in (0, 1):
        yield f"exit code {code}: {output[:600]}"
    if code == 1 and not any(name in output for name in NAMES):
        yield f"the message names neither file nor catalog: {output[:600]}"
    if re.search(r"[\x00-\x08\x0b-\x1f]", output):
        yield f"a sign that a terminal obeys: {output[:300]!r}"
    if len(output) > 50_000:
        yield f"{len(output)} signs of output"


def _secret_in(output: str, text: str) -> str | None:
    """A secret that is shown, although the key before it says that it is one."""
    return next((each for each in SECRETS if each in output and _is_told(each, text)), None)


def _is_told(secret: str, text: str) -> bool:
    before = text.partition(secret)[0].rpartition("\n")[2]
    return re.search(r"(password|secret\.key\"?) *= *\"?$", before) is not None


def _kind(code: int, output: str) -> str:
    if code == 0:
        return "answered"
    for name, words in (
        ("a lake on the web", "on the web"),
        ("the file cannot be read", "cannot be read"),
        ("a profile is not there", "There is no profile"),
        ("a key or value is refused", "Key `"),
        ("a setting is refused", "Setting"),
        ("a profile without address", "has no `uri`"),
    ):
        if words in output:
            return name
    return "the lake cannot be opened"
