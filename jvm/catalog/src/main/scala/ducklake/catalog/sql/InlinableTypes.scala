package ducklake.catalog.sql

import ducklake.catalog.model.Column
import ducklake.catalog.types.Names

/** Which tables may have inlined tables. */
object InlinableTypes {

  /** Whether all parts of a nested column can be kept. */
  private[sql] def all(column: Column, isInlinable: Column => Boolean): Boolean =
    column.children.forall(isInlinable)

  /** Whether DuckDB keeps rows of a table with these columns in the catalog; where the database has no
    * room for so many columns, nobody can.
    *
    * Source: DuckDB 1.5.5, observed (format 7.1).
    */
  def admit(columns: Vector[Column], dialect: Dialect): Boolean =
    columns.size + InlinedSql.ownColumns.size <= dialect.mostColumns && columns.forall { column =>
      !isReserved(column.name) && dialect.canHold(column.name) &&
      dialect.inlinedType(column).nonEmpty
    }

  /** Whether DuckDB keeps a column's name for itself where it inlines. */
  def isReserved(columnName: String): Boolean = reserved(Names.folded(columnName))

  private val reserved: Set[String] =
    InlinedSql.ownColumns.toSet ++
      Set("_ducklake_internal_row_id", "_ducklake_internal_snapshot_id")
}
