package ducklake.catalog.cache

import ducklake.catalog.listing.ColumnSummary
import ducklake.catalog.types.Literal
import ducklake.catalog.types.LiteralOrder

/** Summarises the index of a column. */
object ColumnSummaries {

  def of(column: ColumnIndex): ColumnSummary =
    if (!(0 until column.size).forall(column.hasRow)) ColumnSummary(None, None, None)
    else {
      val order = LiteralOrder.of(column.dataType)
      val min = order.flatMap(best(column, _)(column.exactMin))
      val max = order.map(_.reverse).flatMap(best(column, _)(column.exactMax))
      ColumnSummary(min, max, nulls(column))
    }

  /** The first of the files' bounds. None when the bound of a file with values is not known. A
    * loop, because a table may have a million files.
    */
  private def best(column: ColumnIndex, order: Ordering[Literal])(
      bound: Int => Option[Literal]
  ): Option[Literal] = {
    var found: Option[Literal] = Some(Literal.Null)
    var at = 0
    while (at < column.size && found.isDefined) {
      if (!column.isWithoutValues(at)) found = bound(at).flatMap { next =>
        found.map(before => if (before == Literal.Null) next else order.min(before, next))
      }
      at += 1
    }
    found
  }

  private def nulls(column: ColumnIndex): Option[Long] = {
    var sum: Option[Long] = Some(0L)
    var at = 0
    while (at < column.size && sum.isDefined) {
      sum = column.nullCount(at).flatMap(count => sum.map(_ + count))
      at += 1
    }
    sum
  }
}
