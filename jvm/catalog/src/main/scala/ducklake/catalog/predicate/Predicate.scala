package ducklake.catalog.predicate

import ducklake.catalog.types.ColumnId
import ducklake.catalog.types.Literal

/** A filter on leaf columns that are not inside a list or map. Literals have the type of their
  * column. The logic is SQL's three-valued logic: a row matches only when the predicate is true.
  */
sealed trait Predicate

object Predicate {
  final case class Compare(column: ColumnId, operator: Comparison, value: Literal) extends Predicate

  /** Equal to one of the values. None of the values is NULL. */
  final case class In(column: ColumnId, values: Vector[Literal]) extends Predicate
  final case class IsNull(column: ColumnId) extends Predicate
  final case class IsNotNull(column: ColumnId) extends Predicate
  final case class StartsWith(column: ColumnId, prefix: String) extends Predicate
  final case class And(left: Predicate, right: Predicate) extends Predicate
  final case class Or(left: Predicate, right: Predicate) extends Predicate
  final case class Not(child: Predicate) extends Predicate
  case object False extends Predicate
}

sealed trait Comparison {
  import Comparison.*

  /** The comparison that is true exactly when this comparison is false. */
  def negated: Comparison = this match {
    case Equal => NotEqual
    case NotEqual => Equal
    case Less => GreaterOrEqual
    case LessOrEqual => Greater
    case Greater => LessOrEqual
    case GreaterOrEqual => Less
  }

  /** The same comparison with the sides exchanged. */
  def flipped: Comparison = this match {
    case Equal => Equal
    case NotEqual => NotEqual
    case Less => Greater
    case LessOrEqual => GreaterOrEqual
    case Greater => Less
    case GreaterOrEqual => LessOrEqual
  }
}

object Comparison {
  case object Equal extends Comparison
  case object NotEqual extends Comparison
  case object Less extends Comparison
  case object LessOrEqual extends Comparison
  case object Greater extends Comparison
  case object GreaterOrEqual extends Comparison
}
