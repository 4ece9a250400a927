"""Which folder a relative data path means, as the connector decides it."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass

from ducklake_spark_catalog import address, folders, keys
from ducklake_spark_catalog.catalog import Catalog
from ducklake_spark_catalog.failure import Failure
from ducklake_spark_catalog.places import Place


@dataclass(frozen=True)
class DataFolder:
    """Where the files of a lake are.

    Attributes:
        path: absolute.
        doubt: why Spark writes nothing there; empty where all is well.
        mend: what to do about the doubt.
    """

    path: str
    doubt: str = ""
    mend: str = ""


def data_folder(found: Catalog, place: Place) -> DataFolder:
    """Where the files of a lake are.

    Raises:
        Failure: the setting is another path than the stored one, or the files are in two folders.
    """
    stored = next(
        (str(o["option_value"]) for o in found.options() if o["option_name"] == "data_path"), ""
    )
    wanted = place.text("data-path")
    overrides = keys.is_set(place, "override-data-path")
    plain = folders.local(stored)
    is_relative = plain and not folders.scheme(stored) and not plain.startswith("/")
    if not is_relative or (wanted is not None and overrides):
        path = folders.in_force(stored, wanted, overrides=overrides)
        is_plain = not path or folders.scheme(path)
        return DataFolder(path if is_plain else _absolute(os.getcwd(), path))
    where = address.parse(place.uri)
    beside = [] if where.kind == "postgres" else [os.path.dirname(where.target)]
    below = plain if plain.endswith("/") else f"{plain}/"
    return chosen(below, wanted, [*beside, os.getcwd()], found.some_files(below))


def chosen(
    stored: str, wanted: str | None, bases: Sequence[str], files: Sequence[str]
) -> DataFolder:
    """The folder of a relative data path: the one with the files that the catalog lists.

    Args:
        stored: the relative path, ending in a separator.
        wanted: the setting `data-path`.
        bases: what it may be relative to; the first one counts for a lake without files.
        files: some of the files, relative to the same folder.

    Raises:
        Failure: the setting is another path, or the files are in two folders.
    """
    places = list({os.path.realpath(_absolute(b, stored)): b for b in reversed(bases)}.values())
    places.reverse()
    agreed = [base for base in places if wanted is None or _is_same(wanted, base, stored)]
    having = [b for b in places if any(os.path.exists(_absolute(b, file)) for file in files)]
    shown = [_absolute(base, stored) for base in places]
    if not agreed or (len(having) == 1 and having[0] not in agreed):
        raise _differs(wanted or "", _absolute(having[0], stored) if having else stored)
    about = f"the data path of the lake is relative, `{stored}`, and"
    if len(having) > 1:
        raise Failure(
            f"{about} some files that the catalog lists are in {', others in '.join(shown)}.",
            "Put all of them into one folder, as they are below the other one.",
        )
    if having:
        return DataFolder(_absolute(having[0], stored))
    there = [base for base in agreed if os.path.exists(_absolute(base, stored))]
    first = _absolute(agreed[0], stored)
    if files:
        why = f"{about} the files that the catalog lists are not in {' nor in '.join(shown)}"
        return DataFolder(first, why, "Set data-path to their folder, and override-data-path.")
    if len(there) > 1:
        why = f"{about} the lake has no files yet, and there are {' and '.join(shown)}"
        return DataFolder(first, why, "Set data-path to one of them.")
    return DataFolder(_absolute(there[0], stored) if there else first)


def _is_same(wanted: str, base: str, stored: str) -> bool:
    """Whether a setting means a stored path, by its text or below a folder.

    Example:
        >>> _is_same("lake", "/a", "lake/"), _is_same("/a/lake/", "/a", "lake/")
        (True, True)
        >>> _is_same("/a/lake/", "/b", "lake/")
        False
    """
    plain = folders.local(wanted)
    return f"{plain.rstrip('/')}/" == stored or (
        not folders.scheme(wanted)
        and os.path.abspath(plain) == os.path.normpath(f"{base}/{stored}")
    )


def _absolute(base: str, path: str) -> str:
    """A path in a folder, with the separator at its end.

    Example:
        >>> _absolute("/a", "lake/"), _absolute("/a", "/b/"), _absolute("/a", "../lake/x.parquet")
        ('/a/lake/', '/b/', '/lake/x.parquet')
    """
    whole = os.path.normpath(os.path.join(base, folders.local(path)))
    return f"{whole.rstrip('/')}/" if path.endswith("/") else whole


def _differs(wanted: str, stored: str) -> Failure:
    return Failure(
        f"Setting `data-path` is `{wanted}`, but the lake stores its files in `{stored}`.",
        "Leave the setting out, or set `override-data-path` to read from the given path.",
    )
