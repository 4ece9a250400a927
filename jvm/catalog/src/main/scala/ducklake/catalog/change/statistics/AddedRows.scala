package ducklake.catalog.change.statistics

import ducklake.catalog.model.ColumnStatistics
import ducklake.catalog.types.ColumnId

/** Rows added to a table, in a file or in the catalog.
  *
  * @param freshIds number of rows that get their row ids from the commit
  * @param sizeBytes size of their file; 0 for inlined rows
  * @param statistics one entry for each leaf column of the rows
  */
final case class AddedRows(
    recordCount: Long,
    freshIds: Long,
    sizeBytes: Long,
    statistics: Map[ColumnId, ColumnStatistics],
)
