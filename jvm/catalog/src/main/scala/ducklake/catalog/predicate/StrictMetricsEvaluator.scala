package ducklake.catalog.predicate

import ducklake.catalog.model.ColumnStatistics
import ducklake.catalog.types.ColumnId
import ducklake.catalog.types.LakeType
import ducklake.catalog.types.Literal
import ducklake.catalog.types.TypeTraits

/** Decides whether every row matches, the counterpart of [[StatsPruning]].
  * The answer *yes* is certain; the answer *no* may be wrong. A row for which the predicate is NULL
  * does not match.
  *
  * Source: ours, decision 22.
  */
object StrictMetricsEvaluator {

  /** Whether all rows of a file match, by its statistics.
    *
    * @param typeOf current types of the columns whose metrics may be used; other columns count as
    *   unknown
    */
  def allRowsMatch(
      predicate: Predicate,
      stats: ColumnId => Option[ColumnStatistics],
      typeOf: ColumnId => Option[LakeType],
  ): Boolean = {
    def known(column: ColumnId): ColumnMetrics = StatsPruning.byStatistics(stats, typeOf)(column)
    matchesAll(
      predicate,
      column => typeOf(column).fold(ColumnMetrics.nothing)(exactOnly(known(column), _)),
    )
  }

  /** Whether one row certainly matches. `values` gives the row's value of a column, None where it
    * is not known.
    */
  def rowMatches(predicate: Predicate, values: ColumnId => Option[Literal]): Boolean =
    matchesAll(predicate, StatsPruning.byValue(values))

  private def matchesAll(predicate: Predicate, metrics: ColumnId => ColumnMetrics): Boolean =
    !InclusiveMetricsEvaluator.mayNotBeTrue(
      predicate,
      column => Some(metrics(column)).filter(_.isPossible).getOrElse(ColumnMetrics.nothing),
    )

  /** The stored metrics, for types whose bounds hold exactly for the values that are read. */
  private def exactOnly(stored: => ColumnMetrics, lakeType: LakeType): ColumnMetrics =
    if (TypeTraits.haveExactBounds(lakeType)) stored else ColumnMetrics.nothing
}
