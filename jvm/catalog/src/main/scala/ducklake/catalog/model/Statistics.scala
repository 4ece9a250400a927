package ducklake.catalog.model

import ducklake.catalog.types.Literal

/** Statistics of one leaf column of one file. None means unknown, never empty.
  *
  * @param valueCount values other than NULL
  * @param containsNan known for floats only
  */
final case class ColumnStatistics(
    min: Option[Literal],
    max: Option[Literal],
    valueCount: Option[Long],
    nullCount: Option[Long],
    containsNan: Option[Boolean],
    sizeBytes: Option[Long],
)
