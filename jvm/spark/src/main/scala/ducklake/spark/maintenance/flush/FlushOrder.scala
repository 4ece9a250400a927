package ducklake.spark.maintenance.flush

import ducklake.catalog.model.NullOrder
import ducklake.catalog.model.SortDirection
import ducklake.catalog.model.SortKey
import ducklake.catalog.read.RowVersion
import ducklake.catalog.types.Literal
import ducklake.catalog.types.LiteralOrder

/** A key of the table's sort order; the ordinal is that of a version's `keys`. */
final case class FlushSortKey(ordinal: Int, key: SortKey)

/** The order in which rows are written; those that are equal in it stay as they came. */
private[flush] object FlushOrder {

  def sorted(versions: Vector[RowVersion], keys: Vector[FlushSortKey]): Vector[RowVersion] =
    if (keys.isEmpty) versions
    else
      versions.sorted(new Ordering[RowVersion] {
        override def compare(left: RowVersion, right: RowVersion): Int =
          keys.iterator
            .map(key => byKey(left.keys(key.ordinal), right.keys(key.ordinal), key.key))
            .find(_ != 0)
            .getOrElse(0)
      })

  private def byKey(left: Literal, right: Literal, key: SortKey): Int =
    (left, right) match {
      case (Literal.Null, Literal.Null) => 0
      case (Literal.Null, _) => nullsCome(key.nulls)
      case (_, Literal.Null) => -nullsCome(key.nulls)
      case _ =>
        val order = LiteralOrder.compare(left, right).getOrElse(0)
        if (key.direction == SortDirection.Ascending) order else -order
    }

  private def nullsCome(order: NullOrder): Int =
    order match {
      case NullOrder.First => -1
      case NullOrder.Last => 1
    }
}
