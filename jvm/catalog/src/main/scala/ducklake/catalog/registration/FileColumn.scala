package ducklake.catalog.registration

import ducklake.catalog.types.LakeType

/** A column or nested field of an existing Parquet file.
  *
  * Source: DuckDB 1.5.5 (format 12).
  */
sealed trait FileColumn {

  /** The name in the file. */
  def name: String
}

object FileColumn {

  /** @param ordinal the position among all leaves of the file, depth first, from zero
    * @param lakeType the type that DuckDB gives the leaf by its Parquet annotation; None when no
    *   column can have it
    */
  final case class Leaf(name: String, ordinal: Int, lakeType: Option[LakeType.Primitive])
      extends FileColumn

  final case class StructOf(name: String, fields: Vector[FileColumn]) extends FileColumn
  final case class ListOf(name: String, element: FileColumn) extends FileColumn
  final case class MapOf(name: String, key: FileColumn, value: FileColumn) extends FileColumn
}
