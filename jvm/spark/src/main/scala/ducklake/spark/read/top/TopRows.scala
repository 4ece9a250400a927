package ducklake.spark.read.top

import ducklake.catalog.pruning.Direction
import ducklake.catalog.pruning.RowOrder
import ducklake.catalog.types.Column

/** The first rows of an order. */
final case class TopRows(order: RowOrder, count: Int) {

  /** For plans and the UI.
    *
    * @param columns the columns of the table
    */
  def describe(columns: Vector[Column]): String = {
    val keys = order.keys.map { key =>
      val name = columns.find(_.id == key.column).fold(key.column.toString)(_.name)
      val direction = key.direction match {
        case Direction.Ascending => "ASC"
        case Direction.Descending => "DESC"
      }
      s"$name $direction NULLS ${if (key.nullsFirst) "FIRST" else "LAST"}"
    }
    s"first $count by ${keys.mkString(", ")}"
  }
}
