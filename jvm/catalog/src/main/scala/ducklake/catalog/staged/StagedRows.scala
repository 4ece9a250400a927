package ducklake.catalog.staged

import ducklake.catalog.change.operation.NewDataFile
import ducklake.catalog.change.operation.NewInlinedRow
import ducklake.catalog.change.operation.RowIds
import ducklake.catalog.model.DataFile
import ducklake.catalog.model.FileEncryption
import ducklake.catalog.model.FilePartition
import ducklake.catalog.model.FirstRowId
import ducklake.catalog.model.LakePath
import ducklake.catalog.model.LakeTable
import ducklake.catalog.model.RowVisibility
import ducklake.catalog.model.UncommittedIds
import ducklake.catalog.types.DataFileId
import ducklake.catalog.types.Literal

import scala.collection.immutable.ArraySeq

/** A data file that a transaction has written.
  *
  * @param id from [[UncommittedIds]]
  * @param firstRowId from [[UncommittedIds]]; not used by a file that embeds row ids
  * @param dead the positions of rows that the transaction itself has deleted again
  */
final case class StagedFile(
    id: DataFileId,
    file: NewDataFile,
    firstRowId: Long,
    dead: ArraySeq[Long] = Positions.none,
) {

  def liveRows: Long = file.recordCount - dead.length

  /** The file as a listing has it. */
  def listed(table: LakeTable): DataFile =
    DataFile(
      id,
      LakePath(file.path, isRelative = true).fileIn(table.directory),
      file.physical.sizeBytes,
      file.physical.footerSize,
      file.recordCount,
      FirstRowId.of(Option.when(file.rowIds == RowIds.Fresh)(firstRowId)),
      UncommittedIds.Snapshot,
      UncommittedIds.Snapshot,
      RowVisibility.All,
      mapping = None,
      constants = Map.empty,
      partition(table),
      file.physical.key.fold[FileEncryption](FileEncryption.Absent)(FileEncryption.Under(_)),
      deleteFiles = Vector.empty,
      inlinedDeletes = dead,
    )

  private def partition(table: LakeTable): Option[FilePartition] =
    for {
      spec <- table.partition
      values <- file.partition
    } yield FilePartition(spec.id, spec.keys.map(_.index).zip(values).toMap)
}

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
