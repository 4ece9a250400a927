"""Which settings are secrets, and the pattern by which Spark hides them."""

from __future__ import annotations

import re
from urllib.parse import unquote

PATTERN_KEY = "spark.redaction.regex"

# What Spark hides when nothing is set. Source: Spark 4.2 and 4.3, SECRET_REDACTION_PATTERN.
_OF_SPARK = "secret|password|token|access[.]?key"

# Parts of the names of Hadoop's secrets in which none of these words stands: account keys, keys
# that data is encrypted with, and shared access signatures of Azure; customers' keys of S3A and of
# Google's connector; private keys of Google's service accounts. Spark's own settings
# `spark.io.encryption.keySizeBits` and the like are no secrets. There is no backslash:
# spark-defaults.conf is a file of Java's properties, in which `\b` is `b`.
_OF_STORES = "account[.]key|private[.]key|encryption[.]key(?![A-Za-z])|provided-key|azure[.]sas[.]"

PATTERN = f"(?i){_OF_SPARK}|{_OF_STORES}"
"""Spark's own pattern, with the names of the secrets of object stores that it does not know."""

# Settings with such names that say only where a secret is.
_ELSEWHERE = re.compile(r"-file$|[.]keyprovider[.]|token[.](provider|endpoint)\b")

# What names the kind of an address, before the rest.
_KIND = re.compile(r"(?i)\s*((ducklake|jdbc):)?((sqlite|duckdb|postgres|postgresql|mysql):)?")

# A secret among the parameters of an address, or behind its user.
_AMONG_PARAMETERS = re.compile(r"(?i)(password|passwd|pwd|secret|token)\w*\s*=")
_BEFORE_HOST = re.compile(r"(?s):(?!//).*@")


def shown(address: str) -> str:
    """An address for messages: what follows a secret is hidden too, since nobody knows its end.

    Example:
        >>> shown("host=h password=x y"), shown("postgresql://u:x@h/d"), shown("/data/l.db")
        ('host=h password=***', 'postgresql://u:***@h/d', '/data/l.db')
    """
    kind, rest = _split(address)
    without_user = kind + _BEFORE_HOST.sub(":***@", rest, count=1)
    found = _AMONG_PARAMETERS.search(without_user)
    return f"{without_user[: found.end()]}***" if found else without_user


def _split(address: str) -> tuple[str, str]:
    named = _KIND.match(address)
    end = named.end() if named else 0
    return address[:end], address[end:]


def is_secret(key: str, value: str) -> bool:
    """Whether a setting of a catalog holds a secret itself, by its name or in its address.

    Args:
        key: without the name of the catalog, which may be any word.
        value: looked at in addresses alone.

    Example:
        >>> is_secret("password", "x"), is_secret("password-file", "/run/pgpass")
        (True, False)
        >>> is_secret("uri", "ducklake:postgres:host=h password=x"), is_secret("uri", "ducklake:x")
        (True, False)
    """
    if key == "uri" or key.endswith(".uri"):
        _, rest = _split(unquote(value))
        return any(secret.search(rest) for secret in (_AMONG_PARAMETERS, _BEFORE_HOST))
    return re.search(PATTERN, key) is not None and _ELSEWHERE.search(key) is None
