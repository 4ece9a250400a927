package ducklake.catalog.read

import ducklake.catalog.model.Column
import ducklake.catalog.model.DataFileId
import ducklake.catalog.model.DeleteFile
import ducklake.catalog.model.LakePath
import ducklake.catalog.model.SnapshotId
import ducklake.catalog.types.Literal

/** All that a table keeps in the catalog up to a snapshot: also what was deleted or replaced since.
  *
  * @param rows inlined tables that hold something, oldest first
  * @param deletes data files of which positions are deleted in the catalog, by id
  * @param deletesTable where these deletes lie; None when there are none
  */
final case class InlinedHistory(
    rows: Vector[InlinedTableHistory],
    deletes: Vector[InlinedDeleteHistory],
    deletesTable: Option[String],
)

/** An inlined table.
  *
  * @param columns as the inlined table has them
  * @param versions how many versions of rows it holds
  */
final case class InlinedTableHistory(table: InlinedTable, columns: Vector[Column], versions: Long)

/** A row from one snapshot until another.
  *
  * @param end the snapshot that deleted or replaced it; one above that of the history is told too
  * @param values of the columns of its inlined table
  * @param keys values of other columns that were asked for, as they are today
  */
final case class RowVersion(
    rowId: Long,
    begin: SnapshotId,
    end: Option[SnapshotId],
    values: Vector[Literal],
    keys: Vector[Literal],
)

/** Positions of a data file that are deleted in the catalog.
  *
  * @param path of the data file: full, in DuckDB's spelling
  * @param ended the snapshot that ended the data file
  * @param positions each with the snapshot that deleted it, increasing
  * @param deleteFiles all that the data file has or had, by id
  */
final case class InlinedDeleteHistory(
    file: DataFileId,
    path: String,
    ended: Option[SnapshotId],
    positions: Vector[(Long, SnapshotId)],
    deleteFiles: Vector[HistoricDeleteFile],
)

/** @param scheduledPath its path as the garbage list has it: relative to the data path where possible */
final case class HistoricDeleteFile(file: DeleteFile, scheduledPath: LakePath)
