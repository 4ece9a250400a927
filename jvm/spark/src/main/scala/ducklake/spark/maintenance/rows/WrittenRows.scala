package ducklake.spark.maintenance.rows

import ducklake.catalog.model.ColumnStatistics
import ducklake.catalog.model.PhysicalFile
import ducklake.catalog.model.SnapshotRange
import ducklake.catalog.types.ColumnId

/** A file that a task wrote.
  *
  * @param embedsRowIds whether it has a column of row ids
  * @param span first and last snapshot of its rows, when it embeds them
  */
private[maintenance] final case class WrittenRows(
    recordCount: Long,
    physical: PhysicalFile,
    statistics: Map[ColumnId, ColumnStatistics],
    embedsRowIds: Boolean,
    span: Option[SnapshotRange],
)
