package ducklake.catalog.pruning

import ducklake.catalog.predicate.Comparison
import ducklake.catalog.predicate.Predicate
import ducklake.catalog.types.ColumnId
import ducklake.catalog.types.LakeType
import ducklake.catalog.types.Literal
import ducklake.catalog.types.LiteralOrder

/** The order of rows by columns, the first key first.
  *
  * @param keys at least one
  * @param isWhole whether rows with the same keys have no order. False when the order has more
  *   keys, which the catalog knows nothing about
  */
final case class RowOrder(keys: Vector[OrderKey], isWhole: Boolean)

/** One key of an order.
  *
  * @param lakeType the present type of the column, whose bounds hold for the values that are read
  * @param nullsFirst whether NULL comes before all values, whatever the direction
  */
final case class OrderKey(
    column: ColumnId,
    lakeType: LakeType.Primitive,
    direction: Direction,
    nullsFirst: Boolean,
) {

  /** Compares two values, either of which may be NULL. Negative when the left one comes first. */
  private[pruning] def compare(left: Literal, right: Literal): Int =
    (left, right) match {
      case (Literal.Null, Literal.Null) => 0
      case (Literal.Null, _) => if (nullsFirst) -1 else 1
      case (_, Literal.Null) => if (nullsFirst) 1 else -1
      case _ =>
        val ascending = LiteralOrder.compare(left, right).getOrElse(0)
        if (direction == Direction.Ascending) ascending else -ascending
    }

  /** The rows that are not after the value; None: all rows. */
  private[pruning] def upTo(value: Literal): Option[Predicate] =
    value match {
      case Literal.Null => Option.when(nullsFirst)(Predicate.IsNull(column))
      case _ =>
        val compared = Predicate.Compare(column, direction.upTo, value)
        Some(if (nullsFirst) Predicate.Or(Predicate.IsNull(column), compared) else compared)
    }
}

/** The direction of a key. */
sealed abstract class Direction(private[pruning] val upTo: Comparison)

object Direction {
  case object Ascending extends Direction(Comparison.LessOrEqual)
  case object Descending extends Direction(Comparison.GreaterOrEqual)
}
