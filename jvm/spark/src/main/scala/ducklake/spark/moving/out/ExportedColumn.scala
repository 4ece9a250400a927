package ducklake.spark.moving.out

import ducklake.catalog.types.Column
import ducklake.catalog.types.ColumnId
import ducklake.catalog.types.LakeType
import ducklake.files.foreign.FooterField

/** A column or a part of a column with the fields that data files have for it.
  *
  * @param path its names from the top
  * @param parent the column around it; None at the top level
  * @param isNamed whether it has a name of its own: not for elements, keys and values
  */
private[out] final case class ExportedColumn(
    column: Column,
    path: Vector[String],
    parent: Option[ColumnId],
    isNamed: Boolean,
) {
  def text: String = s"`${path.mkString(".")}`"

  private[out] def isField(field: FooterField): Boolean =
    field.id.exists(_.toLong == column.id.value)

  private[out] def isBeside(field: FooterField): Boolean =
    field.parent.map(_.toLong) == parent.map(_.value)
}

private[out] object ExportedColumn {

  /** The columns with their parts, each before its own parts. */
  def all(columns: Vector[Column]): Vector[ExportedColumn] =
    columns.flatMap(below(_, Vector.empty, None, isNamed = true))

  private def below(
      column: Column,
      above: Vector[String],
      parent: Option[ColumnId],
      isNamed: Boolean,
  ): Vector[ExportedColumn] = {
    val path = above :+ column.name
    val named = column.dataType == LakeType.StructType
    ExportedColumn(column, path, parent, isNamed) +:
      column.children.flatMap(below(_, path, Some(column.id), named))
  }
}
