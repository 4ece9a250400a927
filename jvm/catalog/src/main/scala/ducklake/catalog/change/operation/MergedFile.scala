package ducklake.catalog.change.operation

import ducklake.catalog.model.LakePath
import ducklake.catalog.model.SnapshotRange
import ducklake.catalog.types.Column
import ducklake.catalog.types.DataFileId
import ducklake.catalog.types.PartitionId

/** A new data file with the rows of several data files.
  *
  * @param columns the columns of the table that the file has
  * @param partition the partition spec of the rows, to which the file's partition values belong
  * @param rowIdStart the row id of the first row; None when the file embeds row ids
  * @param span first and last snapshot of the rows, which the file embeds
  */
final case class MergedFile(
    sources: Vector[FileMergeSource],
    columns: Vector[Column],
    partition: Option[PartitionId],
    rowIdStart: Option[Long],
    span: SnapshotRange,
    file: NewDataFile,
)

/** A data file that is replaced.
  *
  * @param path for `ducklake_files_scheduled_for_deletion`
  */
final case class FileMergeSource(id: DataFileId, path: LakePath, sizeBytes: Long)
