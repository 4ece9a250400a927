package ducklake.catalog.sql

import ducklake.catalog.model.Column

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
    columns.size + ownColumns <= dialect.mostColumns && columns.forall { column =>
      val name = column.name.toLowerCase(java.util.Locale.ROOT)
      val isReserved = reserved(name) || name.startsWith("_ducklake_internal_")
      val size = column.name.getBytes(java.nio.charset.StandardCharsets.UTF_8).length
      !isReserved && size <= dialect.longestName && dialect.inlinedType(column).nonEmpty
    }

  /** Row id, begin and end. */
  private val ownColumns = 3

  private val reserved: Set[String] = Set("row_id", "begin_snapshot", "end_snapshot")
}
