package ducklake.catalog.predicate

import ducklake.catalog.types.ColumnId
import ducklake.catalog.types.Literal

/** Evaluates a predicate on metrics of a file: may it be true for some row, may it be false for
  * some row, may it be false or NULL for some row. These are separate questions, because a
  * predicate may be NULL. The answer *no* is certain; the answer *yes* may be wrong.
  */
private[predicate] object InclusiveMetricsEvaluator {

  def mayBeTrue(predicate: Predicate, metrics: ColumnId => ColumnMetrics): Boolean =
    predicate match {
      case Predicate.Compare(column, operator, value) =>
        metrics(column).mayCompare(operator, value)
      case Predicate.In(column, values) =>
        val known = metrics(column)
        values.exists(value => known.mayCompare(Comparison.Equal, value))
      case Predicate.IsNull(column) => metrics(column).mayBeNull
      case Predicate.IsNotNull(column) => metrics(column).mayBeValue
      case Predicate.StartsWith(column, prefix) => metrics(column).mayStartWith(prefix)
      case Predicate.And(left, right) => mayBeTrue(left, metrics) && mayBeTrue(right, metrics)
      case Predicate.Or(left, right) => mayBeTrue(left, metrics) || mayBeTrue(right, metrics)
      case Predicate.Not(child) => mayBeFalse(child, metrics)
      case Predicate.False => false
    }

  def mayBeFalse(predicate: Predicate, metrics: ColumnId => ColumnMetrics): Boolean =
    predicate match {
      case Predicate.Compare(column, operator, value) =>
        metrics(column).mayCompare(operator.negated, value)
      case Predicate.In(column, values) => metrics(column).mayBeOther(values)
      case Predicate.IsNull(column) => metrics(column).mayBeValue
      case Predicate.IsNotNull(column) => metrics(column).mayBeNull
      case Predicate.StartsWith(column, _) => metrics(column).mayBeValue
      case Predicate.And(left, right) => mayBeFalse(left, metrics) || mayBeFalse(right, metrics)
      case Predicate.Or(left, right) => mayBeFalse(left, metrics) && mayBeFalse(right, metrics)
      case Predicate.Not(child) => mayBeTrue(child, metrics)
      case Predicate.False => true
    }

  /** Whether the predicate may be false or NULL for some row. */
  def mayNotBeTrue(predicate: Predicate, metrics: ColumnId => ColumnMetrics): Boolean =
    predicate match {
      case Predicate.And(left, right) =>
        mayNotBeTrue(left, metrics) || mayNotBeTrue(right, metrics)
      case Predicate.Or(left, right) =>
        mayNotBeTrue(left, metrics) && mayNotBeTrue(right, metrics)
      case Predicate.Not(child) => mayNotBeFalse(child, metrics)
      case leaf => mayBeFalse(leaf, metrics) || mayBeNull(leaf, metrics)
    }

  private def mayNotBeFalse(predicate: Predicate, metrics: ColumnId => ColumnMetrics): Boolean =
    predicate match {
      case Predicate.And(left, right) =>
        mayNotBeFalse(left, metrics) && mayNotBeFalse(right, metrics)
      case Predicate.Or(left, right) =>
        mayNotBeFalse(left, metrics) || mayNotBeFalse(right, metrics)
      case Predicate.Not(child) => mayNotBeTrue(child, metrics)
      case leaf => mayBeTrue(leaf, metrics) || mayBeNull(leaf, metrics)
    }

  private def mayBeNull(predicate: Predicate, metrics: ColumnId => ColumnMetrics): Boolean =
    predicate match {
      case Predicate.Compare(column, _, value) =>
        value == Literal.Null || metrics(column).mayBeNull
      case Predicate.In(column, _) => metrics(column).mayBeNull
      case Predicate.StartsWith(column, _) => metrics(column).mayBeNull
      case Predicate.IsNull(_) | Predicate.IsNotNull(_) | Predicate.False => false
      case Predicate.And(left, right) => mayBeNull(left, metrics) || mayBeNull(right, metrics)
      case Predicate.Or(left, right) => mayBeNull(left, metrics) || mayBeNull(right, metrics)
      case Predicate.Not(child) => mayBeNull(child, metrics)
    }
}
