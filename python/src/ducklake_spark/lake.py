"""A lake as a Python object; each method is one SQL statement."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import SupportsIndex

from pyspark.sql import Row, SparkSession

from ducklake_spark import _jvm, _show
from ducklake_spark._calls import LakeCalls
from ducklake_spark._sql import Moment, Time, moment_of
from ducklake_spark.changes import LakeChanges
from ducklake_spark.cleaning import LakeCleaning
from ducklake_spark.errors import InvalidSettingError
from ducklake_spark.going_back import LakeGoingBack
from ducklake_spark.lake_at import LakeAt, Tables
from ducklake_spark.lake_reads import LakeReads
from ducklake_spark.lake_tables import LakeTables
from ducklake_spark.maintenance import LakeMaintenance
from ducklake_spark.moving import LakeMoving
from ducklake_spark.named_snapshots import LakeNames, id_of
from ducklake_spark.pictures import LakePictures
from ducklake_spark.readers import LakeReaders
from ducklake_spark.transactions import LakeTransactions

_PREFIX = "spark.sql.catalog."
_SNAPSHOTS_SHOWN = 5


@dataclass(frozen=True, repr=False)
class Lake(
    Tables,
    LakeReads,
    LakeTables,
    LakeChanges,
    LakeMoving,
    LakeMaintenance,
    LakeCleaning,
    LakeGoingBack,
    LakeTransactions,
    LakeNames,
    LakeReaders,
    LakePictures,
):
    """A lake that is registered as a catalog. Every read is a DataFrame.

    The catalog must be registered in the session, and Spark must have the connector's jar, else
    `InvalidSettingError` is raised at once. A warning says when there is no lake at its address
    yet: then methods that ask about the lake raise `NoLakeError`, and it has no table. Every
    method raises `ConnectionFailedError` or `CatalogBusyError` when the catalog database does not
    answer.

    Methods that may take long have `progress`: whether to show a bar. When it is left out, there is
    one in a terminal and in a notebook, if the package rich is installed.

    Example:
        >>> lake = Lake(spark, "lake")
        >>> lake.table("events").to_df().count()
        2
    """

    def __post_init__(self) -> None:
        """Refuse a catalog that is not registered, or has no jar; warn of a lake that is absent."""
        if isinstance(self.spark, str):
            raise TypeError("a lake takes the session first, then its name: Lake(spark, 'lake')")
        if self.spark.conf.get(_PREFIX + self.catalog, None) != _jvm.CATALOG_CLASS:
            raise _not_registered(self.spark, self.catalog)
        try:
            (there,) = self.settings().collect()
        except Exception as failure:
            if _jvm.is_absent(failure):
                raise _without_jar(self.spark, self.catalog) from failure
            if _jvm.is_of_another(failure):
                raise _jvm.another_jar(self.spark.version) from failure
            raise
        if not there.lake_exists:
            warnings.warn(
                f"There is no lake at {there.address}: catalog `{self.catalog}` looks empty, and "
                "the first statement that creates something makes the lake.",
                stacklevel=3,
            )

    def __repr__(self) -> str:
        """The name of the catalog; nothing is read."""
        return f"<Lake {self.catalog}>"

    def _repr_html_(self) -> str:
        """The address, the tables and the newest snapshots, as tables of a notebook."""
        (there,) = self.settings().collect()
        caption = f"Lake {self.catalog} at {there.address}, files in {there.data_path}"
        if not there.lake_exists:
            return _show.tables(caption, [], [])
        rows = [
            (each.snapshot_id, _show.utc(each.snapshot_time), _changes(each), each.author)
            for each in self.history(_SNAPSHOTS_SHOWN).collect()
        ]
        headings = ("snapshot", "time (UTC)", "changes", "author")
        snapshots = _show.html("The newest snapshots", headings, rows)
        return self._tables_html(caption) + snapshots

    def at(
        self,
        moment: Moment | None = None,
        *,
        version: SupportsIndex | None = None,
        time: Time | None = None,
        name: str | None = None,
    ) -> LakeAt:
        """The lake as it was.

        Args:
            moment: a snapshot's id, also as text, or a point in time.
            version: a snapshot's id.
            time: a point in time; the newest snapshot at or before it is meant.
            name: that of a snapshot that `keep_snapshot` keeps; it is looked up at once.

        Returns:
            The lake at that snapshot; nothing else is read yet.

        Raises:
            ValueError: not exactly one of the four is given, or no snapshot has the name.

        Example:
            >>> lake.at(2).table("events").to_df().count()
            1
        """
        named = None if name is None else id_of(LakeCalls(self.spark, self.catalog), name)
        chosen = moment_of(moment, version, time, named)
        return LakeAt(self.spark, self.catalog, *chosen)


def _changes(snapshot: Row) -> str:
    """What a snapshot changed, in one text."""
    return "; ".join(f"{kind} {', '.join(names)}" for kind, names in snapshot.changes.items())


def _not_registered(spark: SparkSession, catalog: str) -> InvalidSettingError:
    """The error of a catalog that the session does not know as a lake."""
    settings = dict(spark.conf.getAll)
    known = sorted(
        key.removeprefix(_PREFIX)
        for key, value in settings.items()
        if key.startswith(_PREFIX) and value == _jvm.CATALOG_CLASS
    )
    listed = ", ".join(f"`{name}`" for name in known) or "none"
    return InvalidSettingError(
        f"Catalog `{catalog}` is no lake of this session. Lakes of this session: {listed}. "
        "Register it with `configure`. SQLSTATE: 42616",
        InvalidSettingError.condition,
        {"key": _PREFIX + catalog, "why": "is not set"},
        sql_state="42616",
    )


def _without_jar(spark: SparkSession, catalog: str) -> InvalidSettingError:
    """The error of a catalog whose class Spark does not have."""
    return InvalidSettingError(
        f"Catalog `{catalog}` is registered, but this Spark does not have the connector's jar: its "
        f"class {_jvm.CATALOG_CLASS} cannot be found. {_jvm.hint(spark.version)} SQLSTATE: 42616",
        InvalidSettingError.condition,
        {"key": _PREFIX + catalog, "why": "names a class that cannot be found"},
        sql_state="42616",
    )
