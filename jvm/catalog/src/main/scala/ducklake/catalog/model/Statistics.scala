package ducklake.catalog.model

import ducklake.catalog.types.Literal

/** Statistics of one leaf column of one file. None means unknown, never empty.
  *
  * @param valueCount values other than NULL
  * @param containsNan known for floats only
  * @param areBoundsValues whether bounds of texts and bytes are known to be values of the column, not
  *   shortened
  */
final case class ColumnStatistics(
    min: Option[Literal],
    max: Option[Literal],
    valueCount: Option[Long],
    nullCount: Option[Long],
    containsNan: Option[Boolean],
    sizeBytes: Option[Long],
    areBoundsValues: Boolean = false,
)
