package ducklake.catalog.predicate

import ducklake.catalog.types.Literal
import ducklake.catalog.types.LiteralOrder

/** The known facts about the values of one column in one file, or in one row.
  *
  * @param lower no value is smaller; None: unknown
  * @param upper no value is greater, NaN being the greatest; None: unknown
  * @param mayBeNull whether a row may have NULL
  * @param mayBeValue whether a row may have a value
  * @param admits whether a row may have this value, apart from the bounds; for partition transforms
  *   such as bucket
  */
private[catalog] final case class ColumnMetrics(
    lower: Option[Literal],
    upper: Option[Literal],
    mayBeNull: Boolean,
    mayBeValue: Boolean,
    admits: Literal => Boolean,
) {

  def and(other: ColumnMetrics): ColumnMetrics =
    ColumnMetrics(
      lower = ColumnMetrics.tighter(lower, other.lower, preferred = 1),
      upper = ColumnMetrics.tighter(upper, other.upper, preferred = -1),
      mayBeNull = mayBeNull && other.mayBeNull,
      mayBeValue = mayBeValue && other.mayBeValue,
      admits = value => admits(value) && other.admits(value),
    )

  /** Whether a row can satisfy these metrics at all. Metrics combined from sources that contradict
    * each other describe no row.
    */
  def isPossible: Boolean =
    (mayBeNull || mayBeValue) &&
      !lower.exists(least => upper.exists(greatest => isBelow(greatest, least)))

  /** Whether the comparison with the given value may be true for some value. */
  def mayCompare(operator: Comparison, value: Literal): Boolean =
    mayBeValue && value != Literal.Null && {
      operator match {
        case Comparison.Equal => mayReach(value) && admits(value)
        case Comparison.NotEqual => !isOnly(value)
        case Comparison.Less => lower.forall(bound => !isAtLeast(bound, value))
        case Comparison.LessOrEqual => lower.forall(bound => !isBelow(value, bound))
        case Comparison.Greater => upper.forall(bound => !isAtLeast(value, bound))
        case Comparison.GreaterOrEqual => upper.forall(bound => !isBelow(bound, value))
      }
    }

  /** Whether some value may differ from all of these. */
  def mayBeOther(values: Vector[Literal]): Boolean =
    mayBeValue && !values.exists(isOnly)

  /** Whether some text may start with the prefix. */
  def mayStartWith(prefix: String): Boolean = {
    val first = Literal.Text(prefix)
    def startsSo(bound: Literal): Boolean =
      bound match {
        case Literal.Text(text) => text.startsWith(prefix)
        case _ => false
      }
    mayBeValue &&
    upper.forall(bound => !isBelow(bound, first)) &&
    lower.forall(bound => startsSo(bound) || !isBelow(first, bound))
  }

  private def mayReach(value: Literal): Boolean =
    lower.forall(bound => !isBelow(value, bound)) && upper.forall(bound => !isBelow(bound, value))

  private def isOnly(value: Literal): Boolean =
    lower.exists(isEqual(_, value)) && upper.exists(isEqual(_, value))

  private def isEqual(left: Literal, right: Literal): Boolean =
    LiteralOrder.compare(left, right).contains(0)

  private def isAtLeast(left: Literal, right: Literal): Boolean =
    LiteralOrder.compare(left, right).exists(_ >= 0)

  private def isBelow(left: Literal, right: Literal): Boolean =
    LiteralOrder.compare(left, right).exists(_ < 0)
}

private[catalog] object ColumnMetrics {
  val nothing: ColumnMetrics =
    ColumnMetrics(None, None, mayBeNull = true, mayBeValue = true, admits = _ => true)

  val onlyNull: ColumnMetrics = nothing.copy(mayBeValue = false)

  val onlyValues: ColumnMetrics = nothing.copy(mayBeNull = false)

  private def tighter(
      left: Option[Literal],
      right: Option[Literal],
      preferred: Int,
  ): Option[Literal] =
    (left, right) match {
      case (Some(a), Some(b)) =>
        if (LiteralOrder.compare(a, b).exists(_.sign == preferred)) left else right
      case _ => left.orElse(right)
    }
}
