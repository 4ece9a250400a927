package ducklake.catalog.sql

import ducklake.catalog.types.LakeType

/** The questions on which catalog databases differ. */
trait Dialect {

  /** The database as people call it. */
  def databaseName: String

  /** A table of the metadata schema, or an inlined table, as a statement names it. */
  def table(name: String): Sql

  /** How many tables of this name the metadata schema has; asks without failing. */
  def countTables(name: String): Sql

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
