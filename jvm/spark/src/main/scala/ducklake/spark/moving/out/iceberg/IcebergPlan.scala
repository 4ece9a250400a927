package ducklake.spark.moving.out.iceberg

import ducklake.catalog.types.LakeType
import ducklake.catalog.types.TypeText
import ducklake.spark.moving.out.ExportedColumn
import ducklake.spark.moving.out.ExportedTable
import ducklake.spark.moving.out.PhysicalNames
import ducklake.spark.moving.out.FileShape

/** What of a table the format cannot show: parts of a sentence. */
private[iceberg] final class IcebergPlan(format: IcebergFormat) {

  private val types = new IcebergTypes(format)

  def refused(exported: ExportedTable, shapes: Vector[FileShape]): Vector[String] = {
    val columns = ExportedColumn.all(exported.table.columns)
    val names = new PhysicalNames(shapes)
    exported.refused ++ names.withoutIds ++ columns.flatMap(names.missing) ++
      columns.flatMap { column =>
        column.column.dataType match {
          case leaf: LakeType.Primitive => typeProblem(names, column, leaf)
          case _: LakeType.Nested => None
        }
      }
  }

  private def typeProblem(
      names: PhysicalNames,
      column: ExportedColumn,
      leaf: LakeType.Primitive,
  ): Option[String] = types.of(leaf) match {
    case None => Some(s"column ${column.text} has the type ${TypeText.print(leaf)}")
    case Some(shown) =>
      names.otherType(column) { stored =>
        types.of(stored).exists(types.fits(_, shown))
      }
  }
}
