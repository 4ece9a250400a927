package ducklake.catalog.model

import ducklake.catalog.types.ColumnId
import ducklake.catalog.types.MappingId

/** Maps column names in a file without field ids to column ids.
  *
  * Source: spec 1.0, ducklake_name_mapping; format 12 (a list's child is called `list`).
  */
final case class NameMapping(id: MappingId, columns: Vector[MappedColumn]) {

  /** The columns whose values come from the file's path. */
  def pathColumns: Set[ColumnId] = columns.flatMap(_.pathColumns).toSet
}

/** @param isPartition the value comes from the file's path, not from the file */
final case class MappedColumn(
    sourceName: String,
    target: ColumnId,
    isPartition: Boolean,
    children: Vector[MappedColumn],
) {
  private[model] def pathColumns: Vector[ColumnId] =
    Option.when(isPartition)(target).toVector ++ children.flatMap(_.pathColumns)
}
