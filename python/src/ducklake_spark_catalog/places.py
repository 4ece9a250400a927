"""Where a lake is, and the settings that it is opened with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

FOREIGN = ("hadoop.", "jdbc.")
"""What follows these in a key is a name of Hadoop's or of a driver's."""

Setting = str | bool | int | float


@dataclass(frozen=True)
class Place:
    """A lake to work on.

    Attributes:
        uri: the address, as DuckDB's ATTACH takes it.
        settings: other keys of the catalog, with hyphens, such as `data-path`; what follows
            `hadoop.` or `jdbc.` is as Hadoop or the driver spells it.
        spark: settings of the Spark session.
        profile: what the lake is called in a file of profiles; empty for an address.
        origin: the profile and its file, for messages; empty for an address.
    """

    uri: str
    settings: Mapping[str, Setting] = field(default_factory=dict)
    spark: Mapping[str, str] = field(default_factory=dict)
    profile: str = ""
    origin: str = field(default="", compare=False)

    def text(self, key: str) -> str | None:
        """A setting as text; None when it is not set."""
        value = self.settings.get(key)
        return None if value is None else str(value)


def text(value: Setting) -> str:
    """A setting as Spark and Hadoop take it.

    Example:
        >>> text(True), text(8), text("a")
        ('true', '8', 'a')
    """
    return str(value).lower() if isinstance(value, bool) else str(value)
