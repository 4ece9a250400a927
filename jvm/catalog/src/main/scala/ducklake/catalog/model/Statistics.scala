package ducklake.catalog.model

import ducklake.catalog.types.Literal

/** What the catalog says of one leaf column of one file. None means unknown, never empty.
  *
  * @param valueCount non-NULL values
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
