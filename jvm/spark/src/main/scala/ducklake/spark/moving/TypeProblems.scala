package ducklake.spark.moving

import ducklake.catalog.change.schema.TypeChange
import ducklake.catalog.model.PartitionKey
import ducklake.catalog.types.Column
import ducklake.catalog.types.LakeType

/** Changes of types between versions of a source that a lake cannot follow. */
private[moving] object TypeProblems {

  /** @param keys the partition keys of the table of the lake */
  def of(
      before: Vector[Column],
      now: Vector[Column],
      keys: Vector[PartitionKey],
  ): Vector[String] = {
    val old = nodes(before).map(column => column.id -> column).toMap
    nodes(now).flatMap { column =>
      old.get(column.id).filter(_.dataType != column.dataType).flatMap { was =>
        val checked = column.dataType match {
          case to: LakeType.Primitive =>
            TypeChange.check(was, to, keys.filter(_.column == column.id))
          case _: LakeType.Nested => Left("it is nested")
        }
        checked.left.toOption.map(why => s"column `${column.name}` has another type: $why")
      }
    }
  }

  private def nodes(columns: Vector[Column]): Vector[Column] =
    columns.flatMap(column => column +: nodes(column.children))
}
