package ducklake.catalog.change.statement

import ducklake.catalog.change.operation.NewDataFile
import ducklake.catalog.change.operation.NewDeleteFile
import ducklake.catalog.change.statistics.StoredBounds
import ducklake.catalog.model.ColumnStatistics
import ducklake.catalog.model.LakePath
import ducklake.catalog.model.SnapshotRange
import ducklake.catalog.sql.Bind
import ducklake.catalog.sql.MetadataSchema
import ducklake.catalog.sql.Sql
import ducklake.catalog.sql.write.WriteSql
import ducklake.catalog.types.ColumnId
import ducklake.catalog.types.LakeType
import ducklake.catalog.types.MappingId
import ducklake.catalog.types.PartitionId
import ducklake.catalog.types.SnapshotId
import ducklake.catalog.types.TableId

import scala.collection.View

/** A data file with its id and its first row id.
  *
  * @param registered None for a file that the commit's writer wrote
  * @param entry shared by many files
  */
private[statement] final case class NumberedFile(
    id: Long,
    rowIdStart: Option[Long],
    file: NewDataFile,
    registered: Option[Registered],
    entry: FileEntry,
)

/** The catalog's view of a new file: when it is visible, and how its partition values and
  * statistics are written.
  *
  * @param partition the layout to which the file's partition values belong
  * @param leaves the types in whose texts the statistics are written
  */
private[statement] final case class FileEntry(
    time: FileSnapshots,
    partition: Option[PartitionId],
    leaves: Map[ColumnId, LakeType.Primitive],
)

/** Only for registered files: stored path and name mapping. */
private[statement] final case class Registered(path: LakePath, mapping: MappingId)

/** The snapshots of a file.
  *
  * @param last the largest snapshot id inside the file, for files with a snapshot column
  */
private[statement] final case class FileSnapshots(begin: SnapshotId, last: Option[SnapshotId])

private[statement] object FileSnapshots {
  def at(snapshot: SnapshotId): FileSnapshots = FileSnapshots(snapshot, None)
  def of(span: SnapshotRange): FileSnapshots = FileSnapshots(span.first, Some(span.last))
}

/** Statements that insert the rows of files. Their number hardly depends on the number of files. */
private[statement] final class FileStatements(sql: WriteSql) {

  def add(table: TableId, files: Vector[NumberedFile]): Iterable[Sql] = {
    val own = sql.insertEach(MetadataSchema.DataFile, files) { one =>
      Vector(dataFile(table, one))
    }
    val known = sql.insertEach(MetadataSchema.FileColumnStats, files) { one =>
      statistics(one.id, table, one.file, one.entry.leaves)
    }
    val keys = sql.insertEach(MetadataSchema.FilePartitionValue, files) { one =>
      partitionValues(one.id, table, values(one))
    }
    View.fromIteratorProvider(() => own.iterator ++ known ++ keys)
  }

  /** @param first the id of the first delete file
    */
  def addDeletes(
      table: TableId,
      first: Long,
      files: Vector[(FileSnapshots, NewDeleteFile)],
  ): Vector[Sql] =
    sql.insert(
      MetadataSchema.DeleteFile,
      files.zipWithIndex.map { case ((time, file), index) =>
        Vector[Bind](
          Bind.Number(first + index),
          Bind.Number(table.value),
          Bind.Number(time.begin.value),
          Bind.Absent,
          Bind.Number(file.dataFile.value),
          Bind.Text(file.path),
          Bind.Flag(true),
          Bind.Text("parquet"),
          Bind.Number(file.deleteCount),
          Bind.Number(file.physical.sizeBytes),
          Bind.Number(file.physical.footerSize),
          Bind.ofText(file.physical.key.map(_.base64)),
          Bind.of(time.last.map(_.value)),
          Bind.Number(file.physical.rowGroups),
        )
      },
    )

  private def values(one: NumberedFile): Option[Vector[Option[String]]] =
    one.file.partition.filter(_ => one.entry.partition.nonEmpty)

  private def dataFile(table: TableId, one: NumberedFile): Vector[Bind] =
    Vector(
      Bind.Number(one.id),
      Bind.Number(table.value),
      Bind.Number(one.entry.time.begin.value),
      Bind.Absent,
      Bind.Absent,
      Bind.Text(one.file.path),
      Bind.Flag(one.registered.forall(_.path.isRelative)),
      Bind.Text("parquet"),
      Bind.Number(one.file.recordCount),
      Bind.Number(one.file.physical.sizeBytes),
      Bind.Number(one.file.physical.footerSize),
      Bind.of(one.rowIdStart),
      Bind.of(one.entry.partition.filter(_ => values(one).nonEmpty).map(_.value)),
      Bind.ofText(one.file.physical.key.map(_.base64)),
      Bind.of(one.registered.map(_.mapping.value)),
      Bind.of(one.entry.time.last.map(_.value)),
      Bind.Number(one.file.physical.rowGroups),
    )

  private def statistics(
      id: Long,
      table: TableId,
      file: NewDataFile,
      leaves: Map[ColumnId, LakeType.Primitive],
  ): Vector[Vector[Bind]] =
    file.statistics.toVector.sortBy(_._1.value).flatMap { case (column, known) =>
      leaves.get(column).map(statisticsRow(id, table, column, known, _))
    }

  private def statisticsRow(
      id: Long,
      table: TableId,
      column: ColumnId,
      known: ColumnStatistics,
      lakeType: LakeType.Primitive,
  ): Vector[Bind] = {
    val stored = StoredBounds.of(known, lakeType)
    Vector(
      Bind.Number(id),
      Bind.Number(table.value),
      Bind.Number(column.value),
      Bind.of(known.sizeBytes),
      Bind.of(known.valueCount),
      Bind.of(known.nullCount),
      Bind.ofText(stored.min),
      Bind.ofText(stored.max),
      Bind.ofFlag(known.containsNan),
      Bind.Absent,
      Bind.ofFlag(stored.minIsExact),
      Bind.ofFlag(stored.maxIsExact),
    )
  }

  private def partitionValues(
      id: Long,
      table: TableId,
      values: Option[Vector[Option[String]]],
  ): Vector[Vector[Bind]] =
    values.toVector.flatten.zipWithIndex.map { case (value, index) =>
      Vector(
        Bind.Number(id),
        Bind.Number(table.value),
        Bind.Number(index.toLong),
        Bind.ofText(value),
      )
    }
}
