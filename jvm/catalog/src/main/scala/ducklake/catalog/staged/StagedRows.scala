package ducklake.catalog.staged

import ducklake.catalog.change.operation.NewDataFile
import ducklake.catalog.change.operation.NewInlinedRow
import ducklake.catalog.change.operation.RowIds
import ducklake.catalog.change.statistics.PromotedStatistics
import ducklake.catalog.model.ColumnStatistics
import ducklake.catalog.model.DataFile
import ducklake.catalog.model.FileEncryption
import ducklake.catalog.model.FilePartition
import ducklake.catalog.model.FirstRowId
import ducklake.catalog.model.LakePath
import ducklake.catalog.model.LakeTable
import ducklake.catalog.model.NameMapping
import ducklake.catalog.model.RowVisibility
import ducklake.catalog.model.UncommittedIds
import ducklake.catalog.types.Column
import ducklake.catalog.types.ColumnId
import ducklake.catalog.types.DataFileId
import ducklake.catalog.types.Literal

import scala.collection.immutable.ArraySeq

/** A data file that a transaction has written or registered.
  *
  * @param id from [[UncommittedIds]]
  * @param firstRowId from [[UncommittedIds]]; not used by a file that embeds row ids
  * @param table the table for whose columns and partition keys the file was written
  * @param registered None for a file that the transaction has written
  * @param dead the positions of rows that the transaction itself has deleted again
  */
final case class StagedFile(
    id: DataFileId,
    file: NewDataFile,
    firstRowId: Long,
    table: LakeTable,
    registered: Option[StagedRegistration] = None,
    dead: ArraySeq[Long] = Positions.none,
) {

  def liveRows: Long = file.recordCount - dead.length

  /** The statistics for the columns that the table has now. */
  def statistics(now: Vector[Column]): Map[ColumnId, ColumnStatistics] =
    PromotedStatistics.of(file.statistics, table.columns, now)

  /** The full path. */
  def path: String =
    registered.fold(LakePath(file.path, isRelative = true))(_.path).fileIn(table.directory)

  /** The file as a listing has it.
    *
    * @param now the columns that the table has now
    */
  def listed(now: Vector[Column]): DataFile =
    DataFile(
      id,
      path,
      file.physical.sizeBytes,
      file.physical.footerSize,
      file.recordCount,
      FirstRowId.of(Option.when(file.rowIds == RowIds.Fresh)(firstRowId)),
      UncommittedIds.Snapshot,
      UncommittedIds.Snapshot,
      RowVisibility.All,
      registered.flatMap(_.mapping).map(_.id),
      constants(now),
      partition,
      file.physical.key.fold[FileEncryption](FileEncryption.Absent)(FileEncryption.Under(_)),
      deleteFiles = Vector.empty,
      inlinedDeletes = dead,
    )

  /** A value from the path is stored as both bounds of its column. */
  private def constants(now: Vector[Column]): Map[ColumnId, Literal] =
    registered.fold(Map.empty[ColumnId, Literal]) { own =>
      val known = statistics(now)
      own.mapping.toVector
        .flatMap(_.pathColumns)
        .map { column =>
          column -> known.get(column).flatMap(_.min).getOrElse(Literal.Null)
        }
        .toMap
    }

  private def partition: Option[FilePartition] =
    for {
      spec <- table.partition
      values <- file.partition
    } yield FilePartition(spec.id, spec.keys.map(_.index).zip(values).toMap)
}

/** What is known of a registered file besides its rows.
  *
  * @param mapping its id is of [[UncommittedIds]]; None for a file whose field ids are the column
  *   ids
  * @param checkedBelow as in `Operation.RegisterFiles`
  */
final case class StagedRegistration(
    path: LakePath,
    mapping: Option[NameMapping],
    checkedBelow: Long,
)

/** An inlined row that a transaction has added.
  *
  * @param rowId from [[UncommittedIds]] for a new row; the row id of the committed row that it is a
  *   new version of
  * @param values of the table's top-level columns, in order
  */
final case class StagedRow(rowId: Long, values: Vector[Literal]) {

  /** The row as the commit adds it. */
  def added: NewInlinedRow =
    NewInlinedRow(Option.unless(UncommittedIds.contains(rowId))(rowId), values)
}
