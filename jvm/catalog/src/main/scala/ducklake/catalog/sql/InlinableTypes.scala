package ducklake.catalog.sql

import ducklake.catalog.types.Column
import ducklake.catalog.types.LakeType
import ducklake.catalog.types.Literal
import ducklake.catalog.types.Names

/** Decides for which tables rows can be inlined. */
object InlinableTypes {

  /** Whether all children of a nested column can be inlined. */
  private[sql] def all(column: Column, isInlinable: Column => Boolean): Boolean =
    column.children.forall(isInlinable)

  /** Whether the column or a field of it is of one of these types. */
  private[sql] def holds(column: Column, types: Set[LakeType]): Boolean =
    types(column.dataType) || column.children.exists(holds(_, types))

  /** Whether only DuckDB 2.0 inlines values of the column into SQLite and PostgreSQL. Inlined
    * tables with these columns are made for DuckDB 2.0; our rows go to files.
    */
  private[sql] def isOf20(column: Column): Boolean =
    holds(column, Set(LakeType.Variant, LakeType.TimestampTzNs))

  /** Whether DuckDB inlines rows of a table with these columns, and the database allows a table
    * with so many columns. The newest inlined table must have the columns of the table then: DuckDB
    * inserts its small inserts there.
    *
    * Source: DuckDB 1.5.5 and 2.0, observed (format 7.1); format 14.3.
    */
  def admit(columns: Vector[Column], dialect: Dialect, version: FormatVersion): Boolean =
    columns.size + InlinedColumns.Count <= dialect.mostColumns && columns.forall { column =>
      !isReserved(column.name, version) && dialect.canHold(column.name) &&
      dialect.inlinedType(column).nonEmpty &&
      (dialect.inlinesVariants(version) || !holds(column, Set(LakeType.Variant)))
    }

  /** Whether this connector inlines rows of a table with these columns. */
  def admitOurs(columns: Vector[Column], dialect: Dialect, version: FormatVersion): Boolean =
    admit(columns, dialect, version) &&
      columns.forall(dialect.inlinedValue(Literal.Null, _).nonEmpty)

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
