"""What a catalog database says about a lake: snapshots, tables, files and options."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime

from ducklake_spark_catalog import schemas
from ducklake_spark_catalog.database import Database, Row
from ducklake_spark_catalog.failure import Failure
from ducklake_spark_catalog.moments import in_utc, moment

READABLE = ("0.2", "0.3-dev1", "0.3", "0.4-dev1", "0.4", "1.0", "1.1-dev1", "1.1")
"""The versions whose tables and columns these queries know."""

OF_READERS = "spark_reader."
"""The key of the option in which a reader keeps how far it has read a table begins so."""

OF_NAMES = "spark_kept_snapshot."
"""The key of the option that gives a snapshot a name begins so."""

# Where a streaming query keeps the number of its last epoch, and how far it has read.
_OF_STREAMS = ("spark_stream_epoch.", OF_READERS)

_VISIBLE = "begin_snapshot <= ? AND (end_snapshot IS NULL OR end_snapshot > ?)"

# An entry of the changes: a kind, and a number or quoted names.
_CHANGE = re.compile(r'(\w+):((?:"(?:[^"]|"")*"|[^,"])+)')


@dataclass(frozen=True)
class Catalog:
    """A lake as its catalog database describes it.

    Attributes:
        has_nested_schemas: whether a schema may lie in another one.
    """

    database: Database
    version: str
    has_nested_schemas: bool = False

    def check(self, snapshot: int | None) -> int:
        """The snapshot that is asked for, or the newest.

        Raises:
            Failure: it is not there, or no snapshot is.
        """
        (kept,) = self.database.rows(
            "SELECT MIN(snapshot_id) AS oldest, MAX(snapshot_id) AS newest FROM {snapshot}"
        )
        if kept["newest"] is None:
            raise Failure("The lake has no snapshot, and each lake begins with one.")
        if snapshot is None:
            return int(kept["newest"])
        if not self.database.rows("SELECT 1 FROM {snapshot} WHERE snapshot_id = ?", snapshot):
            raise Failure(
                f"Snapshot {snapshot} is not in the lake: the oldest kept is {kept['oldest']}, "
                f"the newest is {kept['newest']}."
            )
        return snapshot

    def at(self, time: datetime) -> int:
        """The snapshot with the newest time that is no later; the last one of equal times.

        Raises:
            Failure: there is none.
        """
        rows = self.database.rows(
            "SELECT snapshot_id, CAST(snapshot_time AS VARCHAR) AS time FROM {snapshot}"
        )
        times = [(moment(row["time"]), int(row["snapshot_id"])) for row in rows]
        known = [each for each in times if each[0] <= time]
        if not known:
            raise Failure(f"The lake has no snapshot at {time} or before.")
        return max(known)[1]

    def snapshots(self, limit: int) -> list[Row]:
        """Snapshots, the newest first; all of them when the limit is 0."""
        newest_first = "ORDER BY s.snapshot_id DESC"
        if not limit:
            return self._snapshots(newest_first)
        return self._snapshots(f"{newest_first} LIMIT ?", limit)

    def history(self, table: Row, limit: int) -> list[Row]:
        """Snapshots that changed a table, the newest first; all of them when the limit is 0."""
        number = int(table["table_id"])
        # Those that created the table, or gave it another name or schema, say its name.
        begins = self.database.rows(
            "SELECT DISTINCT begin_snapshot AS id FROM {table} WHERE table_id = ?", number
        )
        begun = {int(row["id"]) for row in begins}
        rows = self._snapshots(
            f"""WHERE c.changes_made LIKE ? OR s.snapshot_id IN ({", ".join(map(str, begun))})
                ORDER BY s.snapshot_id DESC""",
            f"%:{number}%",
            is_wanted=lambda row: (
                int(row["snapshot_id"]) in begun or number in _tables_in(row["changes"])
            ),
        )
        return rows[:limit] if limit else rows

    def _snapshots(
        self,
        clauses: str,
        *values: object,
        is_wanted: Callable[[Row], bool] = lambda _: True,
    ) -> list[Row]:
        author = "c.author, c.commit_message"
        if self.version == "0.2":
            author = "NULL AS author, NULL AS commit_message"
        rows = self.database.rows(
            f"""SELECT s.snapshot_id, CAST(s.snapshot_time AS VARCHAR) AS snapshot_time,
                  c.changes_made AS changes, {author}
                FROM {{snapshot}} AS s
                LEFT JOIN {{snapshot_changes}} AS c ON c.snapshot_id = s.snapshot_id
                {clauses}""",
            *values,
        )
        rows = [row for row in rows if is_wanted(row)]
        names = self.names()
        for row in rows:
            row["snapshot_time"] = in_utc(row["snapshot_time"])
            row["changes"] = ", ".join(in_words(row["changes"] or "", names))
        return rows

    def tables(self, snapshot: int) -> list[Row]:
        """The tables of a snapshot with the number and bytes of their files."""
        at, paths = (snapshot, snapshot), self.paths(snapshot)
        rows = self.database.rows(
            f"""SELECT s.schema_id, t.table_name, COALESCE(d.files, 0) AS file_count,
                  COALESCE(d.bytes, 0) AS file_size_bytes,
                  COALESCE(e.files, 0) AS delete_file_count,
                  COALESCE(e.bytes, 0) AS delete_file_size_bytes
                FROM (SELECT * FROM {{table}} WHERE {_VISIBLE}) AS t
                JOIN (SELECT * FROM {{schema}} WHERE {_VISIBLE}) AS s ON s.schema_id = t.schema_id
                LEFT JOIN ({_grouped("data_file")}) AS d ON d.table_id = t.table_id
                LEFT JOIN ({_grouped("delete_file")}) AS e ON e.table_id = t.table_id""",
            *(at * 4),
        )
        found = [{"schema_name": schemas.text(paths[row.pop("schema_id")]), **row} for row in rows]
        return sorted(found, key=lambda row: (row["schema_name"], row["table_name"]))

    def paths(self, snapshot: int | None = None) -> dict[int, schemas.Path]:
        """The names that lead to each schema of a snapshot; without one, of all that ever were."""
        parent = "parent_schema_id" if self.has_nested_schemas else "NULL"
        of_all = f"SELECT schema_id, schema_name, {parent} AS parent FROM {{schema}}"
        if snapshot is None:
            return schemas.paths(self.database.rows(f"{of_all} ORDER BY begin_snapshot"))
        visible = f"{of_all} WHERE {_VISIBLE}"
        return schemas.paths(self.database.rows(visible, snapshot, snapshot))

    def files(self, table: Row, snapshot: int, data_path: str) -> list[Row]:
        """The data files of a table with their delete files; paths are whole."""
        at = (snapshot, snapshot, table["table_id"])
        rows = self.database.rows(
            f"""SELECT d.data_file_id, d.path, d.path_is_relative, d.file_size_bytes,
                  d.record_count, e.delete_path, e.delete_is_relative, e.delete_count,
                  d.begin_snapshot, e.data_file_id IS NOT NULL AS has_deletes
                FROM (SELECT * FROM {{data_file}} WHERE {_VISIBLE} AND table_id = ?) AS d
                LEFT JOIN (SELECT data_file_id, path AS delete_path, delete_count,
                             path_is_relative AS delete_is_relative
                           FROM {{delete_file}} WHERE {_VISIBLE} AND table_id = ?) AS e
                ON e.data_file_id = d.data_file_id
                ORDER BY d.data_file_id""",
            *(at * 2),
        )
        folder = _joined(data_path, table["schema_path"], table["schema_is_relative"])
        folder = _joined(folder, table["path"], table["path_is_relative"])
        inlined = self._inlined_deletes(table["table_id"], snapshot)
        for row in rows:
            # A file with two delete files has two rows; the deletes in the catalog count in one.
            if more := inlined.pop(row.pop("data_file_id"), 0):
                row["delete_count"] = (row["delete_count"] or 0) + more
            row["path"] = _joined(folder, row["path"], row.pop("path_is_relative"))
            is_relative, has_deletes = row.pop("delete_is_relative"), row.pop("has_deletes")
            if has_deletes:
                row["delete_path"] = _joined(folder, row["delete_path"], is_relative)
        return rows

    def some_files(self, data_path: str) -> list[str]:
        """The first and the last data files below a data path, which ends in a separator."""
        rows = [
            row
            for order in ("", " DESC")
            for row in self.database.rows(
                f"""SELECT d.path, t.path AS table_path, t.path_is_relative AS table_is_relative,
                      s.path AS schema_path, s.path_is_relative AS schema_is_relative
                    FROM (SELECT data_file_id, table_id, path FROM {{data_file}}
                          WHERE path_is_relative ORDER BY data_file_id{order} LIMIT 10) AS d
                    JOIN {{table}} AS t ON t.table_id = d.table_id
                    JOIN {{schema}} AS s ON s.schema_id = t.schema_id"""
            )
        ]
        found = []
        for row in rows:
            folder = _joined(data_path, row["schema_path"], row["schema_is_relative"])
            folder = _joined(folder, row["table_path"], row["table_is_relative"])
            found.append(_joined(folder, row["path"], is_relative=True))
        return [path for path in found if path.startswith(data_path)]

    def _inlined_deletes(self, table: int, snapshot: int) -> dict[int, int]:
        """How many rows of each file have deletes that the catalog keeps."""
        name = f"inlined_delete_{table}"
        if name not in self.database.names():
            return {}
        rows = self.database.rows(
            f"SELECT file_id, COUNT(*) AS found FROM {{{name}}} WHERE begin_snapshot <= ? "
            "GROUP BY file_id",
            snapshot,
        )
        return {int(row["file_id"]): int(row["found"]) for row in rows}

    def table(self, name: str, snapshot: int) -> Row:
        """A table by its name: in `main`, or else behind the names of its schema.

        Raises:
            Failure: there is no such table.
        """
        for schema, wanted in schemas.meanings(self.paths(snapshot), name):
            found = self.database.rows(
                f"""SELECT t.table_id, t.table_name, t.path, t.path_is_relative,
                      s.path AS schema_path, s.path_is_relative AS schema_is_relative
                    FROM (SELECT * FROM {{table}} WHERE {_VISIBLE}) AS t
                    JOIN (SELECT * FROM {{schema}} WHERE {_VISIBLE}) AS s
                      ON s.schema_id = t.schema_id
                    WHERE s.schema_id = ? AND LOWER(t.table_name) = LOWER(?)""",
                *((snapshot,) * 4),
                schema,
                wanted,
            )
            same = [row for row in found if schemas.is_same((row["table_name"],), (wanted,))]
            if same:
                exact = [row for row in same if row["table_name"] == wanted]
                return (exact or same)[0]
        raise Failure(f"There is no table `{name}` at snapshot {snapshot}.")

    def options(self, *, with_epochs: bool = True) -> list[Row]:
        """The stored options, each with what it is for.

        Args:
            with_epochs: whether those that streams and readers keep there are among them.
        """
        rows = self.database.rows(
            'SELECT "key" AS option_name, "value" AS option_value, scope, scope_id '
            'FROM {metadata} ORDER BY "key", scope_id'
        )
        if not with_epochs:
            rows = [row for row in rows if not row["option_name"].startswith(_OF_STREAMS)]
        names = self.names()
        for row in rows:
            number = row.pop("scope_id")
            row["scope_entry"] = names.get(number) if row["scope"] else None
            row["scope"] = row["scope"] or "global"
        return rows

    def names(self) -> dict[int, str]:
        """The last known names of schemas, tables, views and macros, by their ids."""
        paths = self.paths()
        # Older versions have no macros.
        has_macros = "macro" in self.database.names()
        queries = [
            f"SELECT {kind}_id AS id, schema_id, {kind}_name AS name, begin_snapshot "
            f"FROM {{{kind}}}"
            for kind in ("table", "view", *(["macro"] if has_macros else []))
        ]
        rows = self.database.rows(" UNION ALL ".join(queries) + " ORDER BY 4")
        return {number: schemas.text(path) for number, path in paths.items()} | {
            row["id"]: schemas.in_schema(paths[row["schema_id"]], row["name"])
            for row in rows
            if row["schema_id"] in paths
        }


def catalog(database: Database) -> Catalog:
    """The catalog in a database.

    Raises:
        Failure: it has a version that is not known.
    """
    rows = database.rows('SELECT "value" FROM {metadata} WHERE "key" = \'version\'')
    version = str(rows[0]["value"]) if rows else "unknown"
    if version not in READABLE:
        raise Failure(
            f"The catalog has version {version}, and this command knows {', '.join(READABLE)}.",
            "Update ducklake-spark.",
        )
    # Development versions have the columns of 1.1 in part.
    has_nested = version.startswith("1.1") and "schema" in database.names_with("parent_schema_id")
    return Catalog(database, version, has_nested)


def _grouped(table: str) -> str:
    return (
        "SELECT table_id, COUNT(*) AS files, CAST(SUM(file_size_bytes) AS BIGINT) AS bytes "
        f"FROM {{{table}}} WHERE {_VISIBLE} GROUP BY table_id"
    )


def _joined(folder: str, path: str | None, is_relative: object) -> str:
    """A path below a folder; None stands for the folder itself.

    Example:
        >>> _joined("/data/", "main/t/", 1), _joined("/data/main", "/x.parquet", 0)
        ('/data/main/t/', '/x.parquet')
        >>> _joined("/data/main/", None, 1)
        '/data/main/'
    """
    if path is None:
        return folder
    if not is_relative:
        return path
    return path if not folder else f"{folder.rstrip('/')}/{path}"


def _tables_in(changes: str) -> set[int]:
    """The numbers of the tables in changes.

    Example:
        >>> _tables_in('created_view:"main"."a:1",inserted_into_table:2,dropped_view:3')
        {2}
    """
    return {
        int(what)
        for kind, what in _CHANGE.findall(changes or "")
        if what.isdigit() and not kind.endswith(("_view", "_schema", "_macro"))
    }


def in_words(changes: str, names: Mapping[int, str]) -> list[str]:
    """Changes with names instead of numbers.

    Example:
        >>> in_words('created_table:"main"."t",inserted_into_table:1', {1: "main.t"})
        ['created_table main.t', 'inserted_into_table main.t']
    """
    return [f"{kind} {_named(kind, what, names)}" for kind, what in _CHANGE.findall(changes)]


def _named(kind: str, what: str, names: Mapping[int, str]) -> str:
    if what.isdigit():
        return names.get(int(what), what)
    quoted = re.findall(r'"((?:[^"]|"")*)"', what)
    *path, name = (each.replace('""', '"') for each in quoted or [what])
    if kind == "created_schema" or not path:
        return schemas.text((*path, name))
    return schemas.in_schema(tuple(path), name)
