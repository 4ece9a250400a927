package ducklake.catalog.read

import ducklake.catalog.model.Column
import ducklake.catalog.model.ColumnId
import ducklake.catalog.model.LakeTable
import ducklake.catalog.types.LakeType

/** The types of a table's leaf columns, by id. */
private[read] object LeafTypes {

  def of(table: LakeTable): Map[ColumnId, LakeType.Primitive] = table.columns.flatMap(leaves).toMap

  private def leaves(column: Column): Vector[(ColumnId, LakeType.Primitive)] =
    column.dataType match {
      case primitive: LakeType.Primitive => Vector(column.id -> primitive)
      case _: LakeType.Nested => column.children.flatMap(leaves)
    }
}
