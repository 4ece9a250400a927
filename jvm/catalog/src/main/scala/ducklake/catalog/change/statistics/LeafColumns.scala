package ducklake.catalog.change.statistics

import ducklake.catalog.types.Column
import ducklake.catalog.types.ColumnId
import ducklake.catalog.types.LakeType

/** The leaf columns: columns and nested fields, at any depth, that have no children. */
object LeafColumns {

  def of(columns: Vector[Column]): Map[ColumnId, LakeType.Primitive] =
    columns.flatMap { column =>
      column.dataType match {
        case primitive: LakeType.Primitive => Vector(column.id -> primitive)
        case _: LakeType.Nested => of(column.children).toVector
      }
    }.toMap

  def columns(of: Vector[Column]): Vector[Column] =
    of.flatMap { column =>
      column.dataType match {
        case _: LakeType.Primitive => Vector(column)
        case _: LakeType.Nested => columns(column.children)
      }
    }
}
