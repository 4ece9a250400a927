package ducklake.catalog.change

import ducklake.catalog.model.Column
import ducklake.catalog.model.DataFileId
import ducklake.catalog.model.DeleteFileId
import ducklake.catalog.model.LakePath
import ducklake.catalog.model.SnapshotId

/** An inlined table whose rows were written to files.
  *
  * @param columns as the inlined table and the files have them
  * @param versions how many versions of rows it had
  */
final case class FlushedRows(
    inlinedTable: String,
    columns: Vector[Column],
    versions: Long,
    files: Vector[FlushedFile],
)

/** @param file holds row ids, and the snapshot that each row began with
  * @param span of the rows' begins
  * @param deletes the rows that are deleted again
  */
final case class FlushedFile(
    file: NewDataFile,
    span: SnapshotRange,
    deletes: Option[SnapshotDeleteFile],
)

/** The first and the last of some snapshots. */
final case class SnapshotRange(first: SnapshotId, last: SnapshotId)

/** A delete file that says of each position by which snapshot it was deleted.
  *
  * @param path relative to the table's directory
  * @param span of these snapshots
  */
final case class SnapshotDeleteFile(
    path: String,
    deleteCount: Long,
    sizeBytes: Long,
    footerSize: Long,
    span: SnapshotRange,
)

/** All deletes of a data file, from the first on, in one delete file.
  *
  * @param ended what the data file's end was when it was looked at
  * @param replaces all delete files that the data file had, with their paths for the garbage list
  */
final case class FlushedDeletes(
    dataFile: DataFileId,
    ended: Option[SnapshotId],
    replaces: Vector[(DeleteFileId, LakePath)],
    file: SnapshotDeleteFile,
)
