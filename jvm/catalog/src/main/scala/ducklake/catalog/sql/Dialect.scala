package ducklake.catalog.sql

import ducklake.catalog.model.Column
import ducklake.catalog.model.TableId
import ducklake.catalog.types.LakeType
import ducklake.catalog.types.Literal

/** The questions on which catalog databases differ. */
trait Dialect {

  /** The database as people call it. */
  def databaseName: String

  /** A table of the metadata schema, or an inlined table, as a statement names it. */
  def table(name: String): Sql

  /** How many tables of this name the metadata schema has; asks without failing. */
  def countTables(name: String): Sql

  /** A value in the shape in which this database's tables keep it. */
  def stored(bind: Bind): Bind

  /** How a column of a metadata table is declared. */
  def columnType(kind: MetadataKind): String

  /** How a top-level column of an inlined table is declared; None when DuckDB does not keep such
    * values in this database. Source: DuckDB 1.5.5, observed (format 7.3).
    */
  def inlinedType(column: Column): Option[String]

  /** The expression that puts a value into a top-level column of an inlined table: what is stored is
    * what DuckDB stores for the value, or what it reads as the value where it spoils its own.
    *
    * None when DuckDB would not read the same value back from this database, when the value is not of
    * the column's type, and when [[inlinedType]] is None: then the row belongs into a file. Source:
    * DuckDB 1.5.5, observed (format 7.3).
    */
  def inlinedValue(value: Literal, column: Column): Option[Sql]

  /** Whether DuckDB can make an inlined table here that has a column of this name. */
  def canHold(columnName: String): Boolean

  /** The name that DuckDB gives to a column when it makes an inlined table. */
  def inlinedName(columnName: String): String

  /** Columns: name and schema version of the inlined tables of a table, oldest first; the name of one
    * of its columns, row for row in their order. NULL, in one row, where columns always have the names
    * that the catalog tells.
    */
  def inlinedTables(table: TableId): Sql

  /** How many columns a table can have. */
  def mostColumns: Int

  /** Makes the schema of the metadata tables; empty where there is nothing to make. */
  def createSchema: Vector[Sql]

  /** The database's own clock; None when it has none but ours. */
  def clock: Option[Sql]

  /** Columns: the names of a table's columns, in order; no row when there is no such table. */
  def columnNames(table: String): Sql

  /** How a column of an inlined table is selected, so that its value arrives in one of the shapes
    * that `InlineCodec` reads.
    */
  def inlinedColumn(name: Identifier, lakeType: LakeType): InlinedSelection
}

/** A selected column of an inlined table. */
sealed trait InlinedSelection {
  def sql: Sql
}

object InlinedSelection {

  /** The value itself. */
  final case class Plain(sql: Sql) extends InlinedSelection

  /** The text of a list whose one element is the value. */
  final case class ListOfOne(sql: Sql) extends InlinedSelection
}
