package ducklake.catalog.registration

import ducklake.catalog.types.LakeType

/** A column or nested field of an existing Parquet file.
  *
  * Source: DuckDB 1.5.5 (format 12).
  */
sealed trait FileColumn {

  /** The name in the file. */
  def name: String

  /** Whether the file's schema has no place for NULL in the column. */
  def isRequired: Boolean
}

object FileColumn {

  /** @param ordinal the position among all leaves of the file, depth first, from zero
    * @param lakeType the type that DuckDB gives the leaf by its Parquet annotation; None when no
    *   column can have it
    */
  final case class Leaf(
      name: String,
      ordinal: Int,
      lakeType: Option[LakeType.Primitive],
      isRequired: Boolean = false,
  ) extends FileColumn

  final case class StructOf(
      name: String,
      fields: Vector[FileColumn],
      isRequired: Boolean = false,
  ) extends FileColumn

  /** @param group the name of the repeated group between the list and its element */
  final case class ListOf(
      name: String,
      element: FileColumn,
      isRequired: Boolean = false,
      group: String = "list",
  ) extends FileColumn

  final case class MapOf(
      name: String,
      key: FileColumn,
      value: FileColumn,
      isRequired: Boolean = false,
  ) extends FileColumn
}
