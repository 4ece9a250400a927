package ducklake.catalog.change.operation

import ducklake.catalog.types.Column
import ducklake.catalog.types.DataFileId
import ducklake.catalog.types.DeleteFileId
import ducklake.catalog.types.PartitionId

/** Data files with deleted rows that are replaced by a file with the other rows.
  *
  * @param columns the columns of the table that the new file has
  * @param partition the partition spec of the rows, to which the file's partition values belong
  * @param file None when all rows are deleted
  */
final case class RewrittenFiles(
    sources: Vector[RewriteSource],
    columns: Vector[Column],
    partition: Option[PartitionId],
    file: Option[NewDataFile],
)

/** A data file that is replaced, with the deletes that the rewrite has applied.
  *
  * @param inlinedDeletes the number of inlined deletes of the file
  */
final case class RewriteSource(
    id: DataFileId,
    deleteFiles: Vector[DeleteFileId],
    inlinedDeletes: Long,
    sizeBytes: Long,
)
