package ducklake.catalog.read

import ducklake.catalog.jdbc.Database
import ducklake.catalog.jdbc.Session
import ducklake.catalog.model.Column
import ducklake.catalog.model.LakeTable
import ducklake.catalog.model.SnapshotId
import ducklake.catalog.sql.InlinedSql

/** Reads the rows of a table that are kept in the catalog, from all of its inlined tables, each of
  * which has the columns of its schema version.
  *
  * Source: format 7.2.
  */
final class InlinedReader(database: Database) {

  /** Rows with the values of `columns`, by row id. */
  def rows(head: CatalogHead, table: LakeTable, columns: Vector[Column]): Vector[InlinedRow] =
    database.consistent(s"read the inlined rows of ${table.qualifiedName}") { session =>
      val sql = new InlinedSql(database.dialect, head.version)
      val tables =
        session.query(sql.tables(table.id))(row => InlinedTable(row.text(1), row.long(2)))
      if (tables.isEmpty) Vector.empty
      else {
        val shapes = new InlinedShapes(session, database.dialect, head.version, table.id)
        tables
          .flatMap(inlined => read(session, sql, head, inlined, shapes.of(inlined), columns))
          .sortBy(row => (row.rowId, row.begin.value))
      }
    }

  private def read(
      session: Session,
      sql: InlinedSql,
      head: CatalogHead,
      inlined: InlinedTable,
      shape: Vector[Column],
      columns: Vector[Column],
  ): Vector[InlinedRow] = {
    val values = new InlinedValues(database.dialect, shape, columns, first = 3)
    session.query(sql.rows(inlined.name, head.snapshot.id, values.selections)) { row =>
      InlinedRow(inlined.name, row.long(1), SnapshotId(row.long(2)), values.of(row))
    }
  }
}
