package ducklake.catalog.listing

import ducklake.catalog.types.SchemaId
import ducklake.catalog.types.TableId

import java.util.UUID

/** One row of `table_info`. Sizes are in bytes. Files and delete files are counted at the snapshot
  * that is read.
  */
final case class TableInfo(
    tableName: String,
    schemaId: SchemaId,
    tableId: TableId,
    tableUuid: UUID,
    fileCount: Long,
    fileSizeBytes: Long,
    deleteFileCount: Long,
    deleteFileSizeBytes: Long,
)

/** Row count and size of a table at a snapshot, from the rows of its files.
  *
  * @param fileRows the rows of the data files
  * @param deletedRows the rows of the data files that are deleted
  * @param inlinedRows the rows in the catalog
  * @param isExact false when the catalog does not count the visible rows of a file or delete file
  *   of several snapshots, or when a delete may be stored twice
  */
final case class TableCounts(
    fileRows: Long,
    deletedRows: Long,
    inlinedRows: Long,
    fileBytes: Long,
    isExact: Boolean,
) {

  /** The number of rows that a full scan returns. It is exact when `isExact` is true. */
  def liveRows: Long = fileRows - deletedRows + inlinedRows

  /** Whether a full scan returns the rows of the data files, all of them and no others. */
  def isFilesAlone: Boolean = isExact && deletedRows == 0 && inlinedRows == 0
}
