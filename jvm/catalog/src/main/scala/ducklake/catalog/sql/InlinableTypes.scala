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
  def admit(columns: Vector[Column], dialect: Dialect): Boolean =
    columns.size + InlinedSql.ownColumns.size <= dialect.mostColumns && columns.forall { column =>
      !isReserved(column.name) && dialect.canHold(column.name) &&
      dialect.inlinedType(column).nonEmpty
    }

  /** Whether the name is reserved for DuckDB's own columns of inlined tables. */
  def isReserved(columnName: String): Boolean = reserved(Names.folded(columnName))

  private val reserved: Set[String] =
    InlinedSql.ownColumns.toSet ++
      Set("_ducklake_internal_row_id", "_ducklake_internal_snapshot_id")
}
