package ducklake.spark.moving

import ducklake.catalog.types.Column
import ducklake.catalog.types.ColumnId

/** Ids for columns that have none yet. */
private[moving] object NewIds {

  /** The id of a column without id. */
  val none: ColumnId = ColumnId(0)

  /** Gives ids, depth first, to the columns and parts of columns that have none. Returns the next
    * id, too.
    */
  def withIds(columns: Vector[Column], first: Long): (Vector[Column], Long) =
    columns.foldLeft((Vector.empty[Column], first)) { case ((done, next), column) =>
      val isNew = column.id == none
      val (children, last) = withIds(column.children, if (isNew) next + 1 else next)
      val id = if (isNew) ColumnId(next) else column.id
      (done :+ column.copy(id = id, children = children), last)
    }
}
