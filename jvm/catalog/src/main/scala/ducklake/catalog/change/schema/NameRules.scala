package ducklake.catalog.change.schema

import ducklake.catalog.error.LakeError
import ducklake.catalog.model.LakePath
import ducklake.catalog.partition.HivePath
import ducklake.catalog.sql.FormatVersion
import ducklake.catalog.sql.InlinableTypes

import java.util.UUID

/** Rules for names of schemas, tables, views and columns, and the directories that follow from the
  * names.
  */
object NameRules {

  /** The directory of a new schema or table: its name if the name is plain ASCII and not too long
    * for file systems, else its uuid.
    *
    * Source: DuckDB 1.5.5, observed (format 5.1), which cannot write to tables with longer names.
    */
  def directory(name: String, uuid: UUID): LakePath = {
    val isPlain = name.matches("[A-Za-z0-9_-]+") && name.length <= HivePath.Room.NameBytes
    val folder = if (isPlain) name else uuid.toString
    LakePath(s"$folder/", isRelative = true)
  }

  def schema(name: String): Either[LakeError, Unit] = some("schema", name)

  def table(name: String): Either[LakeError, Unit] = some("table", name)

  def view(name: String): Either[LakeError, Unit] = some("view", name)

  /** A top-level column of a table in a lake of this version. */
  def column(name: String, version: FormatVersion): Either[LakeError, Unit] =
    if (InlinableTypes.isReserved(name, version))
      Left(
        LakeError.InvalidName("column", name, "the name is reserved for DuckLake's inlined tables")
      )
    else some("column", name)

  /** A struct field of a column. */
  def field(name: String): Either[LakeError, Unit] = some("field", name)

  private def some(kind: String, name: String): Either[LakeError, Unit] =
    if (name.isEmpty) Left(LakeError.InvalidName(kind, name, "a name must not be empty"))
    else if (name.contains('\u0000'))
      Left(LakeError.InvalidName(kind, name, "a name cannot hold a NUL"))
    else Right(())
}
