package ducklake.catalog.predicate

import ducklake.catalog.model.ColumnStatistics
import ducklake.catalog.types.ColumnId
import ducklake.catalog.types.LakeType
import ducklake.catalog.types.Literal
import ducklake.catalog.types.LiteralOrder
import ducklake.catalog.types.bound.FloatMargin

/** Decides by column statistics which files can hold matching rows.
  *
  * Source: spec 1.0, ducklake_file_column_stats; DuckDB 1.5.5, observed (format 3.1 to 3.3). Two
  * rules differ from DuckDB's. A bound that is no value of the column's type is unknown. A file
  * that may hold NaN is not pruned by its maximum.
  */
object StatsPruning {

  /** Whether some row of the file may match. `stats` gives the file's statistics of a column, None
    * where there are none; [[StatisticsText]] says which stored statistics can be trusted. `typeOf`
    * gives a column's current type. A column without a type has no metrics.
    */
  def mayMatch(
      predicate: Predicate,
      stats: ColumnId => Option[ColumnStatistics],
      typeOf: ColumnId => Option[LakeType],
  ): Boolean =
    InclusiveMetricsEvaluator.mayBeTrue(predicate, byStatistics(stats, typeOf))

  /** Whether one row may match. `values` gives the row's value of a column, None where it is not
    * known.
    */
  def mayMatchRow(predicate: Predicate, values: ColumnId => Option[Literal]): Boolean =
    InclusiveMetricsEvaluator.mayBeTrue(predicate, byValue(values))

  /** The facts that the statistics of a file give about a column. */
  private[catalog] def byStatistics(
      stats: ColumnId => Option[ColumnStatistics],
      typeOf: ColumnId => Option[LakeType],
  )(column: ColumnId): ColumnMetrics = {
    val known = for {
      found <- stats(column)
      lakeType <- typeOf(column)
    } yield widened(metrics(found), lakeType)
    known.getOrElse(ColumnMetrics.nothing)
  }

  private def widened(exact: ColumnMetrics, lakeType: LakeType): ColumnMetrics =
    lakeType match {
      case LakeType.Float32 | LakeType.Float64 =>
        exact.copy(
          lower = exact.lower.map(FloatMargin.below(_, lakeType)),
          upper = exact.upper.map(FloatMargin.above(_, lakeType)),
        )
      case _ => exact
    }

  private[predicate] def byValue(values: ColumnId => Option[Literal])(
      column: ColumnId
  ): ColumnMetrics =
    values(column).fold(ColumnMetrics.nothing)(value => metrics(ofOne(value)))

  private def ofOne(value: Literal): ColumnStatistics = {
    val isNull = value == Literal.Null
    val isNan = LiteralOrder.isNan(value)
    val bound = Option.unless(isNull)(value)
    val (values, nulls) = if (isNull) (0L, 1L) else (1L, 0L)
    ColumnStatistics(bound, bound, Some(values), Some(nulls), Some(isNan), None)
  }

  private def metrics(stats: ColumnStatistics): ColumnMetrics = {
    val isInvented = stats.valueCount.contains(0L) && stats.nullCount.contains(0L)
    if (isInvented) ColumnMetrics.nothing
    else
      ColumnMetrics(
        lower = stats.min.flatMap(usable),
        upper = stats.max.filter(isUpperBound(_, stats)).flatMap(usable),
        mayBeNull = !stats.nullCount.contains(0L),
        mayBeValue = !stats.valueCount.contains(0L),
        admits = _ => true,
      )
  }

  /** NaN is greater than any maximum of floats, so the maximum is a bound only for files without
    * NaN.
    */
  private def isUpperBound(max: Literal, stats: ColumnStatistics): Boolean =
    max match {
      case Literal.Floating(_) => stats.containsNan.contains(false)
      case _ => true
    }

  private def usable(bound: Literal): Option[Literal] =
    bound match {
      case Literal.Bytes(_) | Literal.TimeTz(_, _) | Literal.Interval(_, _, _) => None
      case other => Some(other)
    }
}
