package ducklake.catalog.read

import ducklake.catalog.jdbc.Session
import ducklake.catalog.model.Column
import ducklake.catalog.model.TableId
import ducklake.catalog.sql.Dialect
import ducklake.catalog.sql.InlinedSql
import ducklake.catalog.types.Names

/** An inlined table: rows of a table that are kept in the catalog database.
  *
  * @param schemaVersion tells the columns it has
  * @param stored the names of all its columns in order; empty where they are those that the catalog tells
  */
final case class InlinedTable(
    name: String,
    schemaVersion: Long,
    stored: Vector[String] = Vector.empty,
) {

  /** The name that each column of the shape has in the database: by place, and by name where the
    * numbers differ. DuckDB leaves an empty inlined table behind whose schema version no snapshot has,
    * when one transaction creates a table and alters it.
    */
  private[read] def columnNames(inlinedColumns: Vector[Column]): Vector[String] = {
    val own = stored.drop(InlinedSql.ownColumns.size)
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
