package ducklake.catalog.listing

import ducklake.catalog.model.DeleteFile
import ducklake.catalog.model.LakePath
import ducklake.catalog.types.Column
import ducklake.catalog.types.DataFileId
import ducklake.catalog.types.Literal
import ducklake.catalog.types.SnapshotId

/** The inlined rows and inlined deletes of a table up to a snapshot, including rows that were
  * deleted or replaced later.
  *
  * @param rows inlined tables that have rows, oldest first
  * @param deletes data files with inlined deletes, ordered by id
  * @param deletesTable the metadata table with these deletes; None when there are no deletes
  */
final case class InlinedHistory(
    rows: Vector[InlinedTableHistory],
    deletes: Vector[InlinedDeleteHistory],
    deletesTable: Option[String],
)

/** An inlined table with its columns.
  *
  * @param columns the columns of the inlined table
  * @param versions number of row versions in it
  */
final case class InlinedTableHistory(table: InlinedTable, columns: Vector[Column], versions: Long)

/** A version of a row, visible from its begin snapshot until its end snapshot.
  *
  * @param end the snapshot of the history or an earlier one that deleted or replaced the row
  * @param values values of the columns of the inlined table
  * @param keys values of the other requested columns, in their types at the snapshot of the
  *   history. None for a value of an ended version outside this type: a rollback may have made the
  *   type narrower
  */
final case class RowVersion(
    rowId: Long,
    begin: SnapshotId,
    end: Option[SnapshotId],
    values: Vector[Literal],
    keys: Vector[Option[Literal]],
)

/** The inlined deletes of a data file.
  *
  * @param path path of the data file: absolute, in DuckDB's spelling
  * @param recordCount rows of the data file, deleted ones included
  * @param ended the end snapshot of the data file; None while it is live
  * @param positions increasing
  * @param snapshots for each position the snapshot that deleted it
  * @param deleteFiles all delete files that the data file has or had, ordered by id
  */
final case class InlinedDeleteHistory(
    file: DataFileId,
    path: String,
    recordCount: Long,
    ended: Option[SnapshotId],
    positions: Array[Long],
    snapshots: Array[Long],
    deleteFiles: Vector[HistoricDeleteFile],
)

/** @param scheduledPath the path for `ducklake_files_scheduled_for_deletion`: relative to the data
  *   path where possible
  */
final case class HistoricDeleteFile(file: DeleteFile, scheduledPath: LakePath)

/** Takes row versions one after another while they are read. */
trait RowVersionReceiver {

  /** Called before the first version. When a read is repeated because its connection was lost, this
    * is called again, and the versions before it do not count.
    */
  def begin(): Unit

  def add(version: RowVersion): Unit
}
