package ducklake.catalog.read

import ducklake.catalog.jdbc.Session
import ducklake.catalog.model.Column
import ducklake.catalog.model.LakeTable
import ducklake.catalog.model.SnapshotId
import ducklake.catalog.sql.Dialect
import ducklake.catalog.sql.InlinedSql

/** Reads the inlined rows of a table from all of its inlined tables. Each inlined table has the
  * columns of its schema version.
  *
  * Source: format 7.2.
  */
private[read] final class InlinedRowReader(
    session: Session,
    dialect: Dialect,
    head: CatalogHead,
    table: LakeTable,
) {
  private val sql = new InlinedSql(dialect, head.version)

  /** The visible inlined rows with the values of `columns`, ordered by row id. */
  def rows(columns: Vector[Column]): Vector[InlinedRow] = {
    val tables = InlinedTable.of(session, dialect, table.id)
    lazy val tableColumns = new InlinedTableColumns(session, dialect, head.version, table.id)
    tables.map(inlined => read(inlined, tableColumns.of(inlined), columns)) match {
      case Vector(sorted) => sorted
      case several => several.flatten.sortBy(row => (row.rowId, row.begin.value))
    }
  }

  /** The rows of one inlined table, in the order of [[rows]]. */
  private def read(
      inlined: InlinedTable,
      inlinedColumns: Vector[Column],
      columns: Vector[Column],
  ): Vector[InlinedRow] = {
    val values = new InlinedValues(dialect, inlined, inlinedColumns, columns, first = 3)
    session.query(sql.rows(inlined.name, head.snapshot.id, values.selections)) { row =>
      InlinedRow(inlined.name, row.long(1), SnapshotId(row.long(2)), values.of(row))
    }
  }
}
