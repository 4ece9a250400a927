package ducklake.catalog.change.statistics

import ducklake.catalog.types.ColumnId

/** The stored statistics of all rows that a table ever had.
  *
  * @param recordCount the number of rows, deleted rows included; None when it is not known
  * @param columns statistics of columns; nothing is known about a column that is absent
  */
final case class TableStatistics(
    recordCount: Option[Long],
    nextRowId: Long,
    fileSizeBytes: Long,
    columns: Map[ColumnId, ColumnBounds],
)

/** @param isEmpty whether the column is known to have had no value other than NULL; read only for
  *   columns that get values in this commit
  * @param min in the spelling of the statistics
  * @param minIsExact whether a row has this value; None when it is not known, and in catalogs of
  *   1.0
  */
final case class ColumnBounds(
    containsNull: Option[Boolean],
    containsNan: Option[Boolean],
    min: Option[String],
    max: Option[String],
    minIsExact: Option[Boolean],
    maxIsExact: Option[Boolean],
    isEmpty: Boolean,
)
