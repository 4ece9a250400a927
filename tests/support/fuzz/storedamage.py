"""Damage to the answers of an object store: what its XML tells, and its errors."""

from __future__ import annotations

import random
import re

from support.fuzz.brokenproxy import DAMAGES, Damage

_BLANK = b"\r\n\r\n"
_KEYS = (
    *("", "/", "..", "../../etc/passwd", "a/../../b", "x" * 3000, "ducklake-%2e%2e.parquet", " "),
    *("é&#233;", "data/", "data/main/plain/", "&#10;", "//", "s3://other/x", "data/main/../x"),
)
_NUMBERS = ("-1", "0", "x", "", "9" * 30, "1.5")
_TIMES = ("1970-01-01T00:00:00.000Z", "now", "", "9999-12-31T23:59:59.999Z", "2024-13-45")
_CODES = (
    *("NoSuchKey", "NoSuchBucket", "AccessDenied", "InvalidAccessKeyId", "SlowDown", "Odd", ""),
    *("PreconditionFailed", "InternalError", "RequestTimeout", "InvalidRange", "ExpiredToken"),
    *("RequestTimeTooSkewed", "MethodNotAllowed", "NotImplemented", "x" * 3000),
)
_BOMB = b'<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa">' + b"".join(
    f'<!ENTITY {name} "{f"&{before};" * 10}">'.encode()
    for before, name in zip("abcdefgh", "bcdefghi", strict=True)
)
_FILE = b'<!DOCTYPE x [<!ENTITY i SYSTEM "file:///etc/passwd">'


def _answer(head: bytes, body: bytes) -> bytes:
    """With the length of this body."""
    told = b"\r\nContent-Length: %d" % len(body)
    lines = [line for line in head.split(b"\r\n") if not line.lower().startswith(b"content-length")]
    return b"\r\n".join(lines) + told + _BLANK + body


def _told(element: str, values: tuple[str, ...], chance: random.Random, body: bytes) -> bytes:
    """Other values in half of the elements of a name."""

    def other(found: re.Match[bytes]) -> bytes:
        value = chance.choice(values).encode() if chance.randrange(2) else found[2]
        return found[1] + value + found[3]

    name = element.encode()
    return re.sub(rb"(<%s>)(.*?)(</%s>)" % (name, name), other, body, flags=re.DOTALL)


def _names(chance: random.Random, head: bytes, body: bytes) -> bytes:
    """Other names of objects and folders, some of them those of their neighbours."""
    own = tuple(each.decode("latin-1") for each in re.findall(rb"<Key>(.*?)</Key>", body))
    keys = _told("Key", (*_KEYS, *own, *own), chance, body)
    return _answer(head, _told("Prefix", _KEYS, chance, keys))


def _sizes_and_times(chance: random.Random, head: bytes, body: bytes) -> bytes:
    sizes = _told("Size", _NUMBERS, chance, body)
    counts = _told("KeyCount", _NUMBERS, chance, sizes)
    return _answer(head, _told("LastModified", _TIMES, chance, counts))


def _endless(chance: random.Random, head: bytes, body: bytes) -> bytes:
    """The list goes on, says each page."""
    rest = re.sub(rb"<IsTruncated>.*?</IsTruncated>", b"", body)
    more = b"<IsTruncated>true</IsTruncated><NextContinuationToken>t</NextContinuationToken>"
    return _answer(head, re.sub(rb"(</ListBucketResult>)", more + rb"\1", rest))


def _bare(chance: random.Random, head: bytes, body: bytes) -> bytes:
    """Nothing is in the answer but its outermost element."""
    found = re.search(rb"<([A-Z]\w+)", body)
    return _answer(head, b"<%s></%s>" % (found[1], found[1]) if found else b"")


def _torn(chance: random.Random, head: bytes, body: bytes) -> bytes:
    """A piece of the text is gone, or another sign."""
    at, size = chance.randrange(len(body) + 1), chance.choice((1, 1, 5, 50))
    return _answer(head, body[:at] + chance.choice((b"", b"<", b"&", b"\0")) + body[at + size :])


def _entities(chance: random.Random, head: bytes, body: bytes) -> bytes:
    """Entities that grow a million times, or read a file of whoever parses them."""
    doctype = chance.choice((_BOMB, _FILE)) + b"]>"
    text = re.sub(rb"^<\?xml.*?\?>", b"", body)
    return _answer(head, doctype + text.replace(b"<Key>", b"<Key>&i;", 1))


def _refusal(chance: random.Random, head: bytes, body: bytes) -> bytes:
    """An error of the store, some with the status of an answer that is none."""
    code, status = chance.choice(_CODES), chance.choice((200, 400, 403, 404, 409, 412, 500, 503))
    text = f"<Error><Code>{code}</Code><Message>no</Message></Error>".encode()
    return b"HTTP/1.1 %d no\r\nContent-Type: application/xml\r\nContent-Length: %d" % (
        status,
        len(text),
    ) + (_BLANK + text)


def _in_xml(damage: Damage) -> Damage:
    """Leaves bodies alone that are no XML."""

    def damaged(chance: random.Random, head: bytes, body: bytes) -> bytes:
        return damage(chance, head, body) if body[:1] == b"<" else head + _BLANK + body

    return damaged


OF_STORES: dict[str, Damage] = {
    **{name: damage for name, damage in DAMAGES.items() if name not in ("late", "redirect")},
    "refusal": _refusal,
    **{
        name: _in_xml(damage)
        for name, damage in {
            "other names": _names,
            "sizes and times": _sizes_and_times,
            "endless": _endless,
            "bare": _bare,
            "torn": _torn,
            "entities": _entities,
        }.items()
    },
}
"""Ways to damage an answer of a store, by names for messages."""

IN_ITS_PLACE = ("nothing", "500", "503", "403", "404", "refusal")
"""Damages by which some requests never come to the store."""
