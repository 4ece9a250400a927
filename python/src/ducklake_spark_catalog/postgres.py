"""How psycopg reaches the PostgreSQL server that Spark reaches, with the same user and password."""

from __future__ import annotations

import getpass
import os
import re
from collections.abc import Iterable, Mapping
from urllib.parse import unquote

from ducklake_spark_catalog.address import Address
from ducklake_spark_catalog.failure import Failure
from ducklake_spark_catalog.passwords import password_in
from ducklake_spark_catalog.places import Place, text
from ducklake_spark_catalog.redaction import is_secret

Keywords = dict[str, str]

_JDBC = "jdbc."

# Properties of Java's driver that libpq has too, under its own names.
_KEYWORDS = {
    **{name: name for name in ("user", "password", "options")},
    **{name: name for name in ("sslmode", "sslrootcert", "sslcert", "sslkey", "sslpassword")},
    "connectTimeout": "connect_timeout",
    "ApplicationName": "application_name",
}

# Properties that say how Java's driver works, not whom it trusts or what it reads.
_OF_JAVA = (
    *("socketTimeout", "loginTimeout", "cancelSignalTimeout", "tcpKeepAlive", "tcpNoDelay"),
    *("prepareThreshold", "preparedStatementCacheQueries", "preparedStatementCacheSizeMiB"),
    *("defaultRowFetchSize", "binaryTransfer", "reWriteBatchedInserts", "logUnclosedConnections"),
)

# Keywords of libpq that Spark takes in a JDBC address too.
_OF_LIBPQ = ("host", "hostaddr", "port", "dbname", "passfile")

# Keywords of libpq that Spark takes in DuckDB's form of an address.
_KNOWN = (
    *(*_OF_LIBPQ, "user", "password", "sslmode", "sslrootcert"),
    *("connect_timeout", "application_name", "options"),
)

_PASSWORD = re.compile(r"postgres(ql)?://[^@?]*:[^?]*@")
_LEAVE_OUT = "Leave it out and set `password-file` (or PGPASSWORD, PGPASSFILE) instead."


def keywords(where: Address, place: Place) -> Keywords:
    """What psycopg connects with.

    Spark takes the first password of: the driver's property, the key `password`, the address,
    the file of `password-file` or of the address, the environment. Libpq would take the
    environment before a file.

    Raises:
        Failure: the address is malformed, has a password before the host, a keyword that Spark
            does not know, a socket or several hosts; a property of the driver is not one of
            libpq's; or the password file cannot be read.
    """
    address = _of_address(where)
    of_driver = _of_driver(
        {
            key.removeprefix(_JDBC): text(value)
            for key, value in place.settings.items()
            if key.startswith(_JDBC)
        },
        "Key `jdbc.{name}`",
    )
    stated = {key: place.text(key) for key in ("user", "password")}
    given = {key: value for key, value in stated.items() if value is not None}
    found = _host({**address, **given, **of_driver})
    in_address = found.pop("passfile", None)
    file = place.text("password-file") or in_address
    complete = _with_defaults(found)
    if file is not None and not complete.get("password"):
        host = complete.get("host") or complete["hostaddr"]
        target = (host, complete["port"], complete["dbname"], complete["user"])
        # An empty password keeps libpq from the environment.
        complete["password"] = password_in(file, target) or ""
    return complete


def _host(found: Keywords) -> Keywords:
    """The same with a host that Spark can reach; beside `hostaddr` a socket is no name.

    Raises:
        Failure: it is a socket, there are several, or it is no name.
    """
    host, address = found.get("host", ""), found.get("hostaddr", "")
    if "," in host + address:
        raise Failure("The address of PostgreSQL names several hosts.", "Give one host.")
    if not host.startswith(("/", "@")):
        try:
            host.encode("idna")
        except UnicodeError as failure:
            raise Failure(
                "The address of PostgreSQL names a host that cannot be a name.", "Correct the host."
            ) from failure
        return found
    if not address:
        raise Failure(
            "The address of PostgreSQL names a socket folder as host, which Java's driver cannot "
            "open.",
            "Give a host name; the server must listen on TCP.",
        )
    return {key: value for key, value in found.items() if key != "host"}


def _with_defaults(found: Keywords) -> Keywords:
    """What Spark takes where nothing is said; libpq would ask its own variables, such as PGPORT.

    Raises:
        Failure: the port is no number, or nobody is said to connect.
    """
    port = found.get("port") or "5432"
    if not (port.isascii() and port.isdigit() and 0 < int(port) < 65536):
        raise Failure(
            "The address of PostgreSQL has a port that is no number from 1 to 65535.",
            "Correct the port.",
        )
    user = found.get("user") or os.environ.get("PGUSER") or _owner()
    # A host beside `hostaddr` would be the name that a certificate is checked against.
    host = {} if found.get("hostaddr") else {"host": "localhost", "hostaddr": ""}
    filled = {key: value for key, value in found.items() if value}
    usual = {"connect_timeout": "10", **host, "user": user, "dbname": user}
    return {"target_session_attrs": "any", **usual, **filled, "port": port}


def _owner() -> str:
    """The user that this process runs as, who may have no name in a container."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        raise Failure(
            "Nobody is said to connect to PostgreSQL, and this process has no user of a name.",
            "Set the key `user`, or PGUSER.",
        ) from None


def _of_address(where: Address) -> Keywords:
    import psycopg

    if _PASSWORD.match(where.target):
        raise Failure("The address of PostgreSQL has a password before the host.", _LEAVE_OUT)
    target, properties = where.target, {}
    # A name may be a part of a password that has a `&` or a blank.
    is_hidden = is_secret("uri", where.target)
    if not where.is_jdbc:
        _refuse_unknown((unquote(name) for name in _names_in_query(target)), is_hidden)
    if where.is_jdbc:
        target, _, query = where.target.partition("?")
        pairs = (map(unquote, pair.partition("=")) for pair in query.split("&") if pair)
        given = {name: value for name, _, value in pairs}
        properties = {name: given.pop(name) for name in _OF_LIBPQ if name in given}
        called = "A property of the address" if is_hidden else "Property `{name}` of the address"
        properties |= _of_driver(given, called)
    try:
        known = psycopg.conninfo.conninfo_to_dict(target)
    except psycopg.Error as failure:
        # The driver quotes the word where it stopped, which may be a part of a password.
        hidden = "" if is_hidden else f": {str(failure).strip()}"
        raise Failure(
            f"The address of PostgreSQL is malformed{hidden}.",
            "Write `keyword=value`, and a value with blanks or quotes as 'it\\'s'.",
        ) from None
    _refuse_unknown(known, is_hidden)
    return {**{key: str(value) for key, value in known.items()}, **properties}


def _names_in_query(target: str) -> list[str]:
    """The names behind the `?` of a `postgresql://` address; libpq has others for some of them."""
    is_url = target.startswith(("postgres://", "postgresql://"))
    query = target.partition("?")[2] if is_url else ""
    return [pair.partition("=")[0] for pair in query.split("&") if pair]


def _refuse_unknown(names: Iterable[str], is_hidden: bool) -> None:
    """Refuse what Spark does not take, such as a service: two servers could be meant.

    Raises:
        Failure: a name is not among those that Spark knows.
    """
    others = [name for name in names if name not in _KNOWN]
    if others:
        called = "an unknown keyword" if is_hidden else f"the unknown keyword `{others[0]}`"
        raise Failure(
            f"The address of PostgreSQL has {called}.",
            f"Known are {', '.join(sorted(_KNOWN))}; give others by `jdbc.<property>`.",
        )


def _of_driver(properties: Mapping[str, str], called: str) -> Keywords:
    """Properties of Java's driver as libpq spells them.

    Raises:
        Failure: libpq has no such property.
    """
    others = [name for name in properties if name not in (*_KEYWORDS, *_OF_JAVA)]
    if others:
        raise Failure(
            f"{called.format(name=others[0])} is not understood here: this reads the catalog "
            "database with libpq, not with Java's driver.",
            f"It understands {', '.join(_KEYWORDS)}. Spark understands all of the driver's.",
        )
    return {_KEYWORDS[name]: value for name, value in properties.items() if name in _KEYWORDS}
