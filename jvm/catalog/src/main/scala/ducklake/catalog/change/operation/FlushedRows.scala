package ducklake.catalog.change.operation

import ducklake.catalog.model.LakePath
import ducklake.catalog.model.PhysicalFile
import ducklake.catalog.model.SnapshotRange
import ducklake.catalog.types.Column
import ducklake.catalog.types.DataFileId
import ducklake.catalog.types.DeleteFileId
import ducklake.catalog.types.SnapshotId

/** An inlined table whose rows were written to files.
  *
  * @param columns the columns of the inlined table and of the files
  * @param versions number of row versions in the inlined table
  */
final case class FlushedRows(
    inlinedTable: String,
    columns: Vector[Column],
    versions: Long,
    files: Vector[FlushedFile],
)

/** @param file the data file, with columns for the row id and the begin snapshot of each row
  * @param span first and last begin snapshot of the rows
  * @param deletes the delete file for rows that were deleted later
  * @param versions which row version each position has; None for a file that a task wrote
  */
final case class FlushedFile(
    file: NewDataFile,
    span: SnapshotRange,
    deletes: Option[SnapshotDeleteFile],
    versions: Option[Vector[VersionKey]],
)

/** What tells the versions of inlined rows apart.
  *
  * @param begin the snapshot that made the version
  */
final case class VersionKey(rowId: Long, begin: SnapshotId)

/** A delete file with a snapshot column: the snapshot that deleted each position.
  *
  * @param path relative to the table's directory
  * @param span first and last of these snapshots
  */
final case class SnapshotDeleteFile(
    path: String,
    deleteCount: Long,
    physical: PhysicalFile,
    span: SnapshotRange,
)

/** One delete file with all deletes that a data file ever had.
  *
  * @param ended the end snapshot of the data file when the flush read it
  * @param replaces all older delete files of the data file, with their paths for
  *   `ducklake_files_scheduled_for_deletion`
  */
final case class FlushedDeletes(
    dataFile: DataFileId,
    ended: Option[SnapshotId],
    replaces: Vector[(DeleteFileId, LakePath)],
    file: SnapshotDeleteFile,
)
