"""Numbers of NumPy, pandas and `decimal` as those that SQL text is made of."""

from __future__ import annotations

import operator
from collections.abc import Iterable
from decimal import Decimal
from numbers import Integral, Real
from typing import SupportsFloat, SupportsIndex, TypeAlias

Number: TypeAlias = "bool | int | float | Decimal | SupportsIndex | SupportsFloat"
"""A number of Python or of NumPy, which a pandas Series holds."""


def plain(value: object) -> object:
    """The number of Python that is the same; what is no number comes back as it is.

    Example:
        >>> from fractions import Fraction
        >>> plain(Fraction(1, 2)), plain(True), plain("1")
        (0.5, True, '1')
    """
    if isinstance(value, bool):
        return value
    if isinstance(value, Integral):
        return operator.index(value)
    if isinstance(value, Real):
        return float(value)
    return bool(value) if _is_numpys_bool(value) else value


def version_of(given: object) -> int:
    """The id of a snapshot.

    Raises:
        TypeError: it is no whole number.

    Example:
        >>> version_of(3)
        3
    """
    if isinstance(given, Integral) and not isinstance(given, bool):
        return operator.index(given)
    raise TypeError(f"a version is the number of a snapshot, not {given!r}")


def versions_of(given: SupportsIndex | Iterable[SupportsIndex] | None) -> list[int] | None:
    """The ids of snapshots in a number, or in anything that has numbers one by one.

    Raises:
        TypeError: something else is among them.

    Example:
        >>> versions_of(3), versions_of(range(2)), versions_of(None)
        ([3], [0, 1], None)
    """
    if given is None:
        return None
    if isinstance(given, Iterable) and not isinstance(given, str):
        return [version_of(each) for each in given]
    return [version_of(given)]


def _is_numpys_bool(value: object) -> bool:
    kind = type(value)
    return kind.__module__ == "numpy" and kind.__name__ in ("bool", "bool_")
