package ducklake.spark.maintenance.flush

import ducklake.catalog.listing.RowVersion
import ducklake.catalog.model.NullOrder
import ducklake.catalog.model.SortDirection
import ducklake.catalog.model.SortKey
import ducklake.catalog.types.Literal
import ducklake.catalog.types.LiteralOrder

/** A key of the table's sort order.
  *
  * @param ordinal the index of its column in a row version's `keys`
  */
final case class FlushSortKey(ordinal: Int, key: SortKey)

/** Sorts row versions by the table's sort order. Row versions with equal keys keep their order. A
  * key without a value is sorted as NULL.
  */
private[flush] object FlushOrder {

  def sorted(versions: Vector[RowVersion], keys: Vector[FlushSortKey]): Vector[RowVersion] =
    if (keys.isEmpty) versions
    else
      versions.sorted(new Ordering[RowVersion] {
        override def compare(left: RowVersion, right: RowVersion): Int =
          keys.iterator
            .map(key => compareBy(valueOf(left, key), valueOf(right, key), key.key))
            .find(_ != 0)
            .getOrElse(0)
      })

  private def valueOf(version: RowVersion, key: FlushSortKey): Literal =
    version.keys(key.ordinal).getOrElse(Literal.Null)

  private def compareBy(left: Literal, right: Literal, key: SortKey): Int =
    (left, right) match {
      case (Literal.Null, Literal.Null) => 0
      case (Literal.Null, _) => nullsCompareAs(key.nulls)
      case (_, Literal.Null) => -nullsCompareAs(key.nulls)
      case _ =>
        val order = LiteralOrder.compare(left, right).getOrElse(0)
        if (key.direction == SortDirection.Ascending) order else -order
    }

  private def nullsCompareAs(order: NullOrder): Int =
    order match {
      case NullOrder.First => -1
      case NullOrder.Last => 1
    }
}
