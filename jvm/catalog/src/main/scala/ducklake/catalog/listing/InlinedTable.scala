package ducklake.catalog.listing

import ducklake.catalog.sql.Dialect
import ducklake.catalog.sql.InlinedColumns
import ducklake.catalog.types.Column
import ducklake.catalog.types.Names

/** An inlined table: a table in the catalog database with rows of a lake table.
  *
  * @param schemaVersion the schema version whose columns the inlined table has
  * @param stored the names of all its columns in the database, in order; empty where the database
  *   has the same names as the catalog
  * @param declared the declared types of these columns
  */
final case class InlinedTable(
    name: String,
    schemaVersion: Long,
    stored: Vector[String] = Vector.empty,
    declared: Vector[String] = Vector.empty,
) {

  /** The name of each inlined column in the database. Columns are matched by position, and by name
    * when the numbers of columns differ. They differ when one transaction of DuckDB creates a table
    * and alters it: DuckDB then leaves an empty inlined table whose schema version no snapshot has.
    */
  private[catalog] def columnNames(inlinedColumns: Vector[Column]): Vector[String] = {
    val own = stored.drop(InlinedColumns.Count)
    if (own.size == inlinedColumns.size) own
    else inlinedColumns.map(column => Names.find(own, column.name)(identity).getOrElse(column.name))
  }

  /** The columns of an inlined table that DuckDB made in PostgreSQL up to version 0.3 of the format
    * with another type than since 0.4. The older types are also read, but a value of today's form
    * must not be inserted: the cast of the database turns it into the text of its bytes, or refuses
    * it. DuckDB inserts it nevertheless.
    *
    * Source: DuckDB 1.4.4 and 1.5.5, observed, interop/test_migrated_inlining.
    *
    * @param inlinedColumns the columns of the inlined table by the catalog
    */
  private[catalog] def outdated(
      inlinedColumns: Vector[Column],
      dialect: Dialect,
  ): Vector[OutdatedColumn] =
    if (declared.size != InlinedColumns.Count + inlinedColumns.size) Vector.empty
    else
      stored.zip(declared).drop(InlinedColumns.Count).zip(inlinedColumns).flatMap {
        case ((own, before), column) =>
          dialect
            .inlinedType(column)
            .filter(today => InlinedTable.TypesSince04(today) && today != before)
            .map(OutdatedColumn(own, _))
      }
}

/** A column of an inlined table that is declared with a type of older versions.
  *
  * @param name in the database
  * @param today the type with which DuckDB declares it since 0.4
  */
private[catalog] final case class OutdatedColumn(name: String, today: String)

object InlinedTable {

  /** The types of texts and of points in time; up to 0.3 these were `varchar`, `date`, `timestamp`
    * and `timestamptz`.
    */
  private val TypesSince04 = Set("bytea", "varchar")
}
