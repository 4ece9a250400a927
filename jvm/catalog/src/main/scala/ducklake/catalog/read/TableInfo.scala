package ducklake.catalog.read

import ducklake.catalog.model.SchemaId
import ducklake.catalog.model.TableId

import java.util.UUID

/** One row of `table_info`; sizes in bytes, files and delete files of the snapshot read. */
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
  * @param liveRows rows a full scan returns; exact unless `isExact` is false (a partial file or
  *   delete file whose visible rows the catalog does not count, deletes that may be told twice)
  */
final case class TableCounts(liveRows: Long, fileBytes: Long, isExact: Boolean)
