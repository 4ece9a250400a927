package ducklake.catalog.read

import ducklake.catalog.jdbc.Session
import ducklake.catalog.model.Column
import ducklake.catalog.model.TableId
import ducklake.catalog.sql.Dialect
import ducklake.catalog.sql.InlinedColumns
import ducklake.catalog.types.Names

/** An inlined table: a table in the catalog database with rows of a lake table.
  *
  * @param schemaVersion the schema version whose columns the inlined table has
  * @param stored the names of all its columns in the database, in order; empty where the database
  *   has the same names as the catalog
  */
final case class InlinedTable(
    name: String,
    schemaVersion: Long,
    stored: Vector[String] = Vector.empty,
) {

  /** The name of each inlined column in the database. Columns are matched by position, and by name
    * when the numbers of columns differ. They differ when one transaction of DuckDB creates a table
    * and alters it: DuckDB then leaves an empty inlined table whose schema version no snapshot has.
    */
  private[read] def columnNames(inlinedColumns: Vector[Column]): Vector[String] = {
    val own = stored.drop(InlinedColumns.Count)
    if (own.size == inlinedColumns.size) own
    else inlinedColumns.map(column => Names.find(own, column.name)(identity).getOrElse(column.name))
  }
}

object InlinedTable {

  /** The inlined tables of a table, oldest first. */
  private[read] def of(session: Session, dialect: Dialect, table: TableId): Vector[InlinedTable] =
    session
      .query(dialect.inlinedTables(table)) { row =>
        (InlinedTable(row.text(1), row.long(2)), row.textOption(3))
      }
      .foldLeft(Vector.empty[InlinedTable]) {
        case (done :+ last, (table, column)) if last.name == table.name =>
          done :+ last.copy(stored = last.stored ++ column)
        case (done, (table, column)) => done :+ table.copy(stored = column.toVector)
      }
}
