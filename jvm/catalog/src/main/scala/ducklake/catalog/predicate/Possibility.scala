package ducklake.catalog.predicate

import ducklake.catalog.model.ColumnId
import ducklake.catalog.types.Literal

/** Whether a predicate may be true, or may be false, for some row of a file. Both may hold, and
  * neither where it can only be NULL; so it is asked too whether it may be anything but true. An answer
  * of *no* is certain; *yes* may be too careful.
  */
private[predicate] object Possibility {

  def mayBeTrue(predicate: Predicate, evidence: ColumnId => Evidence): Boolean =
    predicate match {
      case Predicate.Compare(column, operator, value) =>
        evidence(column).mayCompare(operator, value)
      case Predicate.In(column, values) =>
        val known = evidence(column)
        values.exists(value => known.mayCompare(Comparison.Equal, value))
      case Predicate.IsNull(column) => evidence(column).mayBeNull
      case Predicate.IsNotNull(column) => evidence(column).mayBeValue
      case Predicate.StartsWith(column, prefix) => evidence(column).mayStartWith(prefix)
      case Predicate.And(left, right) => mayBeTrue(left, evidence) && mayBeTrue(right, evidence)
      case Predicate.Or(left, right) => mayBeTrue(left, evidence) || mayBeTrue(right, evidence)
      case Predicate.Not(child) => mayBeFalse(child, evidence)
      case Predicate.False => false
    }

  def mayBeFalse(predicate: Predicate, evidence: ColumnId => Evidence): Boolean =
    predicate match {
      case Predicate.Compare(column, operator, value) =>
        evidence(column).mayCompare(operator.negated, value)
      case Predicate.In(column, values) => evidence(column).mayBeOther(values)
      case Predicate.IsNull(column) => evidence(column).mayBeValue
      case Predicate.IsNotNull(column) => evidence(column).mayBeNull
      case Predicate.StartsWith(column, _) => evidence(column).mayBeValue
      case Predicate.And(left, right) => mayBeFalse(left, evidence) || mayBeFalse(right, evidence)
      case Predicate.Or(left, right) => mayBeFalse(left, evidence) && mayBeFalse(right, evidence)
      case Predicate.Not(child) => mayBeTrue(child, evidence)
      case Predicate.False => true
    }

  /** Whether it may be false or NULL. */
  def mayNotBeTrue(predicate: Predicate, evidence: ColumnId => Evidence): Boolean =
    predicate match {
      case Predicate.And(left, right) =>
        mayNotBeTrue(left, evidence) || mayNotBeTrue(right, evidence)
      case Predicate.Or(left, right) =>
        mayNotBeTrue(left, evidence) && mayNotBeTrue(right, evidence)
      case Predicate.Not(child) => mayNotBeFalse(child, evidence)
      case leaf => mayBeFalse(leaf, evidence) || mayBeNull(leaf, evidence)
    }

  private def mayNotBeFalse(predicate: Predicate, evidence: ColumnId => Evidence): Boolean =
    predicate match {
      case Predicate.And(left, right) =>
        mayNotBeFalse(left, evidence) && mayNotBeFalse(right, evidence)
      case Predicate.Or(left, right) =>
        mayNotBeFalse(left, evidence) || mayNotBeFalse(right, evidence)
      case Predicate.Not(child) => mayNotBeTrue(child, evidence)
      case leaf => mayBeTrue(leaf, evidence) || mayBeNull(leaf, evidence)
    }

  private def mayBeNull(predicate: Predicate, evidence: ColumnId => Evidence): Boolean =
    predicate match {
      case Predicate.Compare(column, _, value) =>
        value == Literal.Null || evidence(column).mayBeNull
      case Predicate.In(column, _) => evidence(column).mayBeNull
      case Predicate.StartsWith(column, _) => evidence(column).mayBeNull
      case Predicate.IsNull(_) | Predicate.IsNotNull(_) | Predicate.False => false
      case Predicate.And(left, right) => mayBeNull(left, evidence) || mayBeNull(right, evidence)
      case Predicate.Or(left, right) => mayBeNull(left, evidence) || mayBeNull(right, evidence)
      case Predicate.Not(child) => mayBeNull(child, evidence)
    }
}
