package ducklake.files.parquet

import ducklake.catalog.error.LakeError
import ducklake.catalog.error.LakeException
import org.apache.parquet.schema.LogicalTypeAnnotation

/** Logical types that only newer versions of Parquet's library know. This version reads columns of
  * such a type by their physical type, and cannot write them.
  *
  * Errors: Unsupported for each type.
  */
object LogicalTypes {

  def isVariant(@annotation.unused of: LogicalTypeAnnotation): Boolean = false

  /** Whether the column holds only NULL. */
  def isUnknown(@annotation.unused of: LogicalTypeAnnotation): Boolean = false

  def isGeometry(@annotation.unused of: LogicalTypeAnnotation): Boolean = false

  def isGeography(@annotation.unused of: LogicalTypeAnnotation): Boolean = false

  def variant: LogicalTypeAnnotation = refuse("VARIANT")

  def unknown: LogicalTypeAnnotation = refuse("NULL")

  def geometry: LogicalTypeAnnotation = refuse("GEOMETRY")

  private def refuse(name: String): Nothing =
    throw new LakeException(
      LakeError.Unsupported(
        s"Writing files with a column of type $name",
        "The Parquet library of Spark 4.0 does not have the type. Write with Spark 4.1 or newer, or " +
          "with DuckDB.",
      )
    )
}
