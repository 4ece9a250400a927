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
import ducklake.catalog.types.DeleteFileId
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
private[statement] final case class Registered(path: LakePath, mapping: Option[MappingId])

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
  import FileStatements.FileColumn
  import FileStatements.FileKeyValue
  import FileStatements.NumberedDeleteFile

  def add(table: TableId, files: Vector[NumberedFile]): Iterable[Sql] = {
    val own = addFiles(table, files)
    val known = addStatistics(table, files.view.flatMap(statistics))
    val keys = addPartitionValues(table, files.view.flatMap(partitionValues))
    View.fromIteratorProvider(() => own.iterator ++ known ++ keys)
  }

  /** Adds delete files that begin with the commit, and gives them their ids. */
  def withDeletes(plan: CommitDraft, table: TableId, files: Vector[NewDeleteFile]): CommitDraft = {
    val at = FileSnapshots.at(plan.at)
    val ids = files.zipWithIndex.map { case (file, index) =>
      file.dataFile -> DeleteFileId(plan.nextFileId + index)
    }
    plan
      .copy(nextFileId = plan.nextFileId + files.size, deletes = plan.deletes ++ ids)
      .run(addDeletes(table, plan.nextFileId, files.map(at -> _)))
  }

  /** @param first the id of the first delete file
    */
  def addDeletes(
      table: TableId,
      first: Long,
      files: Vector[(FileSnapshots, NewDeleteFile)],
  ): Vector[Sql] = {
    val numbered = files.zipWithIndex.map { case ((time, file), index) =>
      NumberedDeleteFile(first + index, time, file)
    }
    sql.insert(MetadataSchema.DeleteFile, numbered)(
      "delete_file_id" -> (one => Bind.Number(one.id)),
      "table_id" -> (_ => Bind.Number(table.value)),
      "begin_snapshot" -> (one => Bind.Number(one.time.begin.value)),
      "end_snapshot" -> (_ => Bind.Absent),
      "data_file_id" -> (one => Bind.Number(one.file.dataFile.value)),
      "path" -> (one => Bind.Text(one.file.path)),
      "path_is_relative" -> (_ => Bind.Flag(true)),
      "format" -> (_ => Bind.Text("parquet")),
      "delete_count" -> (one => Bind.Number(one.file.deleteCount)),
      "file_size_bytes" -> (one => Bind.Number(one.file.physical.sizeBytes)),
      "footer_size" -> (one => Bind.Number(one.file.physical.footerSize)),
      "encryption_key" -> (one => Bind.ofText(one.file.physical.key.map(_.base64))),
      "partial_max" -> (one => Bind.of(one.time.last.map(_.value))),
      "row_group_count" -> (one => Bind.Number(one.file.physical.rowGroups)),
    )
  }

  private def addFiles(table: TableId, files: Vector[NumberedFile]): Iterable[Sql] =
    sql.insertEach(MetadataSchema.DataFile, files)(
      "data_file_id" -> (one => Bind.Number(one.id)),
      "table_id" -> (_ => Bind.Number(table.value)),
      "begin_snapshot" -> (one => Bind.Number(one.entry.time.begin.value)),
      "end_snapshot" -> (_ => Bind.Absent),
      "file_order" -> (_ => Bind.Absent),
      "path" -> (one => Bind.Text(one.file.path)),
      "path_is_relative" -> (one => Bind.Flag(one.registered.forall(_.path.isRelative))),
      "file_format" -> (_ => Bind.Text("parquet")),
      "record_count" -> (one => Bind.Number(one.file.recordCount)),
      "file_size_bytes" -> (one => Bind.Number(one.file.physical.sizeBytes)),
      "footer_size" -> (one => Bind.Number(one.file.physical.footerSize)),
      "row_id_start" -> (one => Bind.of(one.rowIdStart)),
      "partition_id" -> (one => Bind.of(partitionOf(one).map(_.value))),
      "encryption_key" -> (one => Bind.ofText(one.file.physical.key.map(_.base64))),
      "mapping_id" -> (one => Bind.of(one.registered.flatMap(_.mapping).map(_.value))),
      "partial_max" -> (one => Bind.of(one.entry.time.last.map(_.value))),
      "row_group_count" -> (one => Bind.Number(one.file.physical.rowGroups)),
    )

  private def addStatistics(table: TableId, columns: Iterable[FileColumn]): Iterable[Sql] =
    sql.insertEach(MetadataSchema.FileColumnStats, columns)(
      "data_file_id" -> (one => Bind.Number(one.file)),
      "table_id" -> (_ => Bind.Number(table.value)),
      "column_id" -> (one => Bind.Number(one.column.value)),
      "column_size_bytes" -> (one => Bind.of(one.known.sizeBytes)),
      "value_count" -> (one => Bind.of(one.known.valueCount)),
      "null_count" -> (one => Bind.of(one.known.nullCount)),
      "min_value" -> (one => Bind.ofText(one.stored.min)),
      "max_value" -> (one => Bind.ofText(one.stored.max)),
      "contains_nan" -> (one => Bind.ofFlag(one.known.containsNan)),
      "extra_stats" -> (_ => Bind.Absent),
      "min_is_exact" -> (one => Bind.ofFlag(one.stored.minIsExact)),
      "max_is_exact" -> (one => Bind.ofFlag(one.stored.maxIsExact)),
    )

  private def addPartitionValues(table: TableId, values: Iterable[FileKeyValue]): Iterable[Sql] =
    sql.insertEach(MetadataSchema.FilePartitionValue, values)(
      "data_file_id" -> (one => Bind.Number(one.file)),
      "table_id" -> (_ => Bind.Number(table.value)),
      "partition_key_index" -> (one => Bind.Number(one.index)),
      "partition_value" -> (one => Bind.ofText(one.value)),
    )

  private def statistics(one: NumberedFile): Vector[FileColumn] =
    one.file.statistics.toVector.sortBy(_._1.value).flatMap { case (column, known) =>
      one.entry.leaves
        .get(column)
        .map(lakeType => FileColumn(one.id, column, known, StoredBounds.of(known, lakeType)))
    }

  private def partitionValues(one: NumberedFile): Vector[FileKeyValue] =
    values(one).toVector.flatten.zipWithIndex.map { case (value, index) =>
      FileKeyValue(one.id, index.toLong, value)
    }

  private def partitionOf(one: NumberedFile): Option[PartitionId] =
    one.entry.partition.filter(_ => one.file.partition.nonEmpty)

  private def values(one: NumberedFile): Option[Vector[Option[String]]] =
    one.file.partition.filter(_ => one.entry.partition.nonEmpty)
}

private object FileStatements {

  private final case class NumberedDeleteFile(id: Long, time: FileSnapshots, file: NewDeleteFile)

  /** What is known of a column of a data file. */
  private final case class FileColumn(
      file: Long,
      column: ColumnId,
      known: ColumnStatistics,
      stored: StoredBounds,
  )

  /** A partition value of a data file. */
  private final case class FileKeyValue(file: Long, index: Long, value: Option[String])
}
