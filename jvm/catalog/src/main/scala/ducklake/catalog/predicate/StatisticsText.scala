package ducklake.catalog.predicate

import ducklake.catalog.model.ColumnStatistics
import ducklake.catalog.types.LakeType
import ducklake.catalog.types.TypeTraits
import ducklake.catalog.types.ValueText

/** A row of `ducklake_file_column_stats` as it is stored. */
final case class StoredStatistics(
    min: Option[String],
    max: Option[String],
    valueCount: Option[Long],
    nullCount: Option[Long],
    containsNan: Option[Boolean],
    sizeBytes: Option[Long],
)

/** What a stored row of statistics says of a column of a type.
  *
  * Source: DuckDB 1.5.5, observed (format 3.1 and 3.5).
  */
object StatisticsText {

  /** The statistics, with everything unknown that the row does not truly tell: texts that are no value
    * of the column's current type, and the counts that DuckDB invents for some types.
    */
  def read(stored: StoredStatistics, lakeType: LakeType): ColumnStatistics = {
    val traits = TypeTraits.of(lakeType)
    val bounded = Some(lakeType).collect {
      case known: LakeType.Primitive if traits.tellsBounds => known
    }
    ColumnStatistics(
      min = bounded.flatMap(known => stored.min.flatMap(ValueText.parseStatistic(_, known))),
      max = bounded.flatMap(known => stored.max.flatMap(ValueText.parseStatistic(_, known))),
      valueCount = stored.valueCount.filter(_ => traits.tellsCounts),
      nullCount = stored.nullCount.filter(_ => traits.tellsCounts),
      containsNan = stored.containsNan,
      sizeBytes = stored.sizeBytes,
    )
  }
}
