package ducklake.catalog.sql

import ducklake.catalog.model.Column
import ducklake.catalog.types.Names

/** Decides for which tables rows can be inlined. */
object InlinableTypes {

  /** Whether all children of a nested column can be inlined. */
  private[sql] def all(column: Column, isInlinable: Column => Boolean): Boolean =
    column.children.forall(isInlinable)

  /** Whether DuckDB inlines rows of a table with these columns, and the database allows a table
    * with so many columns.
    *
    * Source: DuckDB 1.5.5, observed (format 7.1).
    */
  def admit(columns: Vector[Column], dialect: Dialect, version: FormatVersion): Boolean =
    columns.size + InlinedColumns.Count <= dialect.mostColumns && columns.forall { column =>
      !isReserved(column.name, version) && dialect.canHold(column.name) &&
      dialect.inlinedType(column).nonEmpty
    }

  /** Whether the name is reserved for DuckDB's own columns of inlined tables and of files. */
  def isReserved(columnName: String, version: FormatVersion): Boolean = {
    val name = Names.folded(columnName)
    if (version.hasInlinedPrefix) name.startsWith(ReservedPrefix) else reserved(name)
  }

  private val ReservedPrefix = "_ducklake_"

  private val reserved: Set[String] =
    InlinedColumns.Plain.all.map(_.text).toSet ++
      Set("_ducklake_internal_row_id", "_ducklake_internal_snapshot_id")
}
