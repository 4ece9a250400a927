package ducklake.catalog.predicate

import ducklake.catalog.model.ColumnStatistics
import ducklake.catalog.types.LakeType
import ducklake.catalog.types.TypeTraits
import ducklake.catalog.types.text.ValueText

/** The stored texts and counts of a row of `ducklake_file_column_stats`. */
final case class StoredStatistics(
    min: Option[String],
    max: Option[String],
    valueCount: Option[Long],
    nullCount: Option[Long],
    containsNan: Option[Boolean],
    sizeBytes: Option[Long],
)

/** Interprets a stored row of file statistics by the type of its column.
  *
  * Source: DuckDB 1.5.5, observed (format 3.1 and 3.5).
  */
object StatisticsText {

  /** The statistics of the row. A bound is unknown when its text is no value of the column's
    * current type. Counts are unknown for the types for which DuckDB stores invented counts. All is
    * unknown when there are neither values nor NULLs, which no file with rows has.
    */
  def read(stored: StoredStatistics, lakeType: LakeType): ColumnStatistics =
    if (stored.valueCount.contains(0L) && stored.nullCount.contains(0L))
      ColumnStatistics(None, None, None, None, None, stored.sizeBytes)
    else told(stored, lakeType)

  private def told(stored: StoredStatistics, lakeType: LakeType): ColumnStatistics = {
    val traits = TypeTraits.of(lakeType)
    val bounded = Some(lakeType).collect {
      case known: LakeType.Primitive if traits.hasUsableBounds => known
    }
    ColumnStatistics(
      min = bounded.flatMap(known => stored.min.flatMap(ValueText.parseStatistic(_, known))),
      max = bounded.flatMap(known => stored.max.flatMap(ValueText.parseStatistic(_, known))),
      valueCount = stored.valueCount.filter(_ => traits.hasTrueCounts),
      nullCount = stored.nullCount.filter(_ => traits.hasTrueCounts),
      containsNan = stored.containsNan,
      sizeBytes = stored.sizeBytes,
    )
  }
}
