"""Tables of Iceberg: made by PyIceberg, and by Iceberg's own library in the JVM of a session."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import pyarrow as pa
import pyarrow.parquet as pq
from pyiceberg.catalog.sql import SqlCatalog
from pyiceberg.io.pyarrow import schema_to_pyarrow
from pyiceberg.schema import Schema
from pyiceberg.table import StaticTable
from pyspark.sql import SparkSession

from support import peer as duckdb_peer
from support.peer import literal

JavaObject: TypeAlias = Any
"""An object of the JVM."""

_PATH, _POSITION = 2147483546, 2147483545


def catalog(folder: Path) -> SqlCatalog:
    """A catalog of PyIceberg with a namespace `db`."""
    folder.mkdir(parents=True, exist_ok=True)
    made = SqlCatalog("ice", uri=f"sqlite:///{folder}/ice.db", warehouse=f"file://{folder}/ice")
    made.create_namespace("db")
    return made


def read_rows(metadata: str) -> list[tuple[Any, ...]]:
    """The rows of a table, by PyIceberg, in order."""
    return sorted_rows(StaticTable.from_metadata(metadata).scan().to_arrow())


def sorted_rows(rows: pa.Table) -> list[tuple[Any, ...]]:
    """Rows in the order of DuckDB, which brings values into the same Python types as a lake's."""
    with duckdb_peer.connect() as connection:
        connection.register("found", rows)
        return connection.execute("SELECT * FROM found ORDER BY ALL").fetchall()


class IcebergTable:
    """A table in a folder, which Iceberg's own library changes."""

    def __init__(
        self,
        spark: SparkSession,
        folder: Path | str,
        schema: Schema,
        keys: Sequence[Mapping[str, Any]] = (),
        version: int = 2,
        hadoop: JavaObject = None,
    ) -> None:
        """Creates the table.

        Args:
            spark: a session with the library.
            folder: of the table.
            schema: the columns.
            keys: the partition fields, as in Iceberg's JSON.
            version: of the format.
            hadoop: settings of Hadoop; those of the session when left out.
        """
        self.folder, self.schema = folder, schema
        self.files: dict[str, JavaObject] = {}
        self._vectors: dict[str, tuple[set[int], JavaObject]] = {}
        self._states: dict[int, dict[str, tuple[set[int], JavaObject]]] = {}
        self.version = version
        jvm: JavaObject = spark._jvm
        self._jvm = jvm
        self._iceberg = self._jvm.org.apache.iceberg
        fields = {"spec-id": 0, "fields": list(keys)}
        parsed = self._iceberg.SchemaParser.fromJson(schema.model_dump_json())
        spec = self._iceberg.PartitionSpecParser.fromJson(parsed, json.dumps(fields))
        tables = self._iceberg.hadoop.HadoopTables(hadoop or spark._jsc.hadoopConfiguration())
        self.table: Any = tables.create(parsed, spec, {"format-version": str(version)}, str(folder))

    @property
    def metadata(self) -> str:
        """The newest metadata file."""
        self.table.refresh()
        return str(self.table.operations().current().metadataFileLocation())

    def set_key(self, transform: str, column: str, number: int | None = None) -> None:
        """Adds a partition field to a table that has none."""
        make = getattr(self._iceberg.expressions.Expressions, transform)
        term = make(column) if number is None else make(column, number)
        self.table.updateSpec().addField(term).commit()
        self.table.refresh()

    def evolve(self, change: Callable[[JavaObject], JavaObject]) -> None:
        """Changes columns, by Iceberg's `UpdateSchema`; later files have the new ones."""
        change(self.table.updateSchema()).commit()
        self.table.refresh()
        text = self._iceberg.SchemaParser.toJson(self.table.schema())
        self.schema = Schema.model_validate_json(text)

    def type_of(self, name: str) -> JavaObject:
        """Iceberg's own object for a type without parameters, such as `Long`."""
        return getattr(self._iceberg.types.Types, f"{name}Type").get()

    def append_divided(self, rows: Sequence[Mapping[str, Any]], prefix: str = "f") -> list[str]:
        """Appends a data file for each value of the only partition field; their paths."""
        (field,) = self.table.spec().fields()
        column = self.table.schema().findField(field.sourceId())
        transform = field.transform().bind(column.type())
        groups: dict[Any, list[Mapping[str, Any]]] = {}
        for row in rows:
            value = row[column.name()]
            found = None if value is None else transform.apply(self._java(value, column.type()))
            groups.setdefault(found, []).append(row)
        paths = []
        for number, (found, some) in enumerate(groups.items()):
            partition = self._iceberg.PartitionData(self.table.spec().partitionType())
            partition.set(0, found)
            paths.append(self.append(f"{prefix}{number}", some, partition))
        return paths

    def _java(self, value: object, kind: JavaObject) -> JavaObject:
        """A value in the class that Iceberg has for the type."""
        text: int | str = value if isinstance(value, int) else str(value)
        if isinstance(value, dt.datetime):
            text = value.isoformat(timespec="microseconds")
        return self._iceberg.expressions.Expressions.lit(text).to(kind).value()

    def append(
        self,
        name: str,
        rows: Sequence[Mapping[str, Any]],
        partition: JavaObject = None,
        bare: pa.Schema | None = None,
    ) -> str:
        """Appends a data file with these rows; its path.

        Args:
            name: of the file.
            rows: of the file.
            partition: its partition.
            bare: the columns of a file without field ids.
        """
        path = f"{self.folder}/data/{name}.parquet"
        columns = schema_to_pyarrow(self.schema) if bare is None else bare
        file = self._written(path, pa.Table.from_pylist(list(rows), columns))
        builder = self._sized(self._iceberg.DataFiles.builder(self.table.spec()), path, file)
        if partition is not None:
            builder = builder.withPartition(partition)
        self.files[path] = builder.build()
        self.table.newAppend().appendFile(self.files[path]).commit()
        return path

    def set_name_mapping(self) -> None:
        """Lets the names of the present columns stand for their ids in files without ids."""
        mapping = self._iceberg.mapping
        json = mapping.NameMappingParser.toJson(mapping.MappingUtil.create(self.table.schema()))
        change = self.table.updateProperties()
        change.set("schema.name-mapping.default", json).commit()

    def remove(self, *paths: str) -> None:
        """Removes data files from the table, and keeps them in the folder."""
        change = self.table.newDelete()
        for path in paths:
            change = change.deleteFile(self.files[path])
        change.commit()

    def delete(self, name: str, positions: Sequence[tuple[str, int]]) -> None:
        """Adds a position delete file, in the partition of the data file that it names first."""
        columns = pa.schema(
            [
                pa.field("file_path", pa.string(), False, {"PARQUET:field_id": str(_PATH)}),
                pa.field("pos", pa.int64(), False, {"PARQUET:field_id": str(_POSITION)}),
            ]
        )
        paths, numbers = zip(*sorted(positions), strict=True)
        rows = pa.table([pa.array(paths), pa.array(numbers)], columns)
        path = f"{self.folder}/data/{name}.parquet"
        self._add_deletes(
            path,
            self._written(path, rows),
            lambda builder: builder.ofPositionDeletes(),
            beside=self.files.get(positions[0][0]),
        )

    def delete_equal(
        self, name: str, rows: pa.Table, ids: Sequence[int], partition: JavaObject = None
    ) -> None:
        """Adds an equality delete file, of a partition or else of an unpartitioned spec."""
        path = f"{self.folder}/data/{name}.parquet"
        gateway: Any = self._jvm
        array = gateway.java.util.stream.IntStream.builder()
        for number in ids:
            array.add(number)
        numbers = array.build().toArray()
        self._add_deletes(
            path,
            self._written(path, rows),
            lambda builder: builder.ofEqualityDeletes(numbers),
            partition,
        )

    def rows(self, snapshot: int | None = None) -> list[tuple[Any, ...]]:
        """The rows by Iceberg's own reader, values as texts, in order.

        Args:
            snapshot: that is read; the current one when left out.
        """
        self.table.refresh()
        reader = self._iceberg.data.IcebergGenerics.read(self.table)
        schema = self.table.schema()
        if snapshot is not None:
            reader = reader.useSnapshot(snapshot)
            schema = self._iceberg.util.SnapshotUtil.schemaFor(self.table, snapshot)
        found = reader.build()
        width = len(schema.columns())
        each, rows = found.iterator(), []
        while each.hasNext():
            row = each.next()
            rows.append(tuple(_text(row.get(at)) for at in range(width)))
        found.close()
        return sorted(rows)

    def partition_of(self, *values: object) -> JavaObject:
        """A partition of the current spec, by the values in Iceberg's classes."""
        partition = self._iceberg.PartitionData(self.table.spec().partitionType())
        for place, value in enumerate(values):
            partition.set(place, value)
        return partition

    def history(self) -> list[tuple[int, int]]:
        """The snapshots that were the current one, each with the time, in milliseconds."""
        self.table.refresh()
        entries = self.table.history()
        return [(each.snapshotId(), each.timestampMillis()) for each in entries]

    def at(self, millis: int) -> int:
        """The snapshot that Iceberg finds at a time."""
        return int(self._iceberg.util.SnapshotUtil.snapshotIdAsOfTime(self.table, millis))

    def delete_positions(self, name: str, positions: Sequence[tuple[str, int]]) -> None:
        """Deletes rows as the format does it: by a position delete file, or by vectors."""
        if self.version < 3:
            self.delete(name, positions)
            return
        found: dict[str, list[int]] = {}
        for path, number in positions:
            found.setdefault(path, []).append(number)
        self.delete_by_vector(found)

    def go_back_to(self, snapshot: int) -> None:
        """Makes an earlier snapshot the current one again."""
        self.table.manageSnapshots().setCurrentSnapshot(snapshot).commit()
        self.table.refresh()
        self._vectors = self._vectors_at(snapshot)

    def _vectors_at(self, snapshot: int) -> dict[str, tuple[set[int], JavaObject]]:
        """The vectors of the newest snapshot with vectors that came before this one."""
        each = self.table.snapshot(snapshot)
        while each is not None:
            if each.snapshotId() in self._states:
                return dict(self._states[each.snapshotId()])
            parent = each.parentId()
            each = None if parent is None else self.table.snapshot(parent)
        return {}

    def delete_by_vector(self, positions: Mapping[str, Sequence[int]]) -> None:
        """Adds deletion vectors, which replace those of the data files."""
        files = self._iceberg.io.OutputFileFactory.builderFor(self.table, 1, 1).format(
            self._iceberg.FileFormat.PUFFIN
        )
        vectors = self._iceberg.deletes.BaseDVFileWriter(files.build(), self._no_earlier())
        old = {path: self._vectors[path] for path in positions if path in self._vectors}
        now = {
            path: set(numbers) | (old[path][0] if path in old else set())
            for path, numbers in positions.items()
        }
        for path, numbers in now.items():
            file = self.files[path]
            spec = self.table.specs().get(file.specId())
            for number in sorted(numbers):
                vectors.delete(path, number, spec, file.partition())
        vectors.close()
        change = self.table.newRowDelta()
        if (current := self.table.currentSnapshot()) is not None:
            change = change.validateFromSnapshot(current.snapshotId())
        for _, vector in old.values():
            change = change.removeDeletes(vector)
        for deletes in vectors.result().deleteFiles():
            change = change.addDeletes(deletes)
            path = deletes.referencedDataFile()
            self._vectors[path] = (now[path], deletes)
        change.commit()
        self._states[self.table.currentSnapshot().snapshotId()] = dict(self._vectors)

    def _no_earlier(self) -> JavaObject:
        """A function of Java that knows no earlier vector."""
        companion = getattr(self._jvm.scala.collection.immutable, "Map$")
        nothing = getattr(companion, "MODULE$").empty().withDefaultValue(None)
        return self._jvm.scala.jdk.javaapi.FunctionConverters.asJavaFunction(nothing)

    def _written(self, path: str, rows: pa.Table) -> pa.Table:
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        pq.write_table(rows, path)
        return rows

    def _size(self, path: str) -> int:
        return Path(path).stat().st_size

    def _sized(self, builder: JavaObject, path: str, rows: pa.Table) -> JavaObject:
        return (
            builder.withPath(path)
            .withFormat(self._iceberg.FileFormat.PARQUET)
            .withFileSizeInBytes(self._size(path))
            .withRecordCount(rows.num_rows)
        )

    def _add_deletes(
        self,
        path: str,
        rows: pa.Table,
        kind: JavaObject,
        partition: JavaObject = None,
        beside: JavaObject = None,
    ) -> None:
        spec = self._iceberg.PartitionSpec.unpartitioned()
        if beside is not None:
            spec, partition = self.table.specs().get(beside.specId()), beside.partition()
        elif partition is not None or self.table.spec().isUnpartitioned():
            spec = self.table.spec()
        builder = kind(self._iceberg.FileMetadata.deleteFileBuilder(spec))
        builder = self._sized(builder, path, rows)
        if partition is not None:
            builder = builder.withPartition(partition)
        self.table.newRowDelta().addDeletes(builder.build()).commit()


def _text(value: object) -> str:
    """A value as Python prints it, `~` for NULL."""
    if value is None:
        return "~"
    other: JavaObject = value
    return str(other.toString() if hasattr(value, "toString") else value)


def texts(rows: Sequence[Sequence[object]]) -> list[tuple[str, ...]]:
    """Rows in the form of `IcebergTable.rows`."""
    return sorted(tuple("~" if value is None else str(value) for value in row) for row in rows)


def call(lake: str, source: str, options: str = "") -> str:
    """The statement that moves a table to table `t`."""
    return f"CALL {lake}.system.migrate_from_iceberg({literal(source)}, 't'{options})"


def migrate(spark: SparkSession, lake: str, source: str, options: str = "") -> list[Any]:
    """The lines of a move to table `t`."""
    return [tuple(row) for row in spark.sql(call(lake, source, options)).collect()]


def snapshot_id(metadata: Path) -> int:
    """The current snapshot of a metadata file."""
    return int(json.loads(metadata.read_text())["current-snapshot-id"])
