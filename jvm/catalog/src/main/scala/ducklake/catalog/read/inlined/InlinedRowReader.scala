package ducklake.catalog.read.inlined

import ducklake.catalog.jdbc.Session
import ducklake.catalog.listing.InlinedRequest
import ducklake.catalog.listing.InlinedRow
import ducklake.catalog.listing.InlinedTable
import ducklake.catalog.model.LakeTable
import ducklake.catalog.model.RowSlice
import ducklake.catalog.predicate.Predicate
import ducklake.catalog.read.snapshot.CatalogHead
import ducklake.catalog.sql.Dialect
import ducklake.catalog.sql.query.InlinedFilter
import ducklake.catalog.sql.query.InlinedSql
import ducklake.catalog.types.Column
import ducklake.catalog.types.SnapshotId

/** Reads the inlined rows of a table from all of its inlined tables, one row at a time. Each
  * inlined table has the columns of its schema version.
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

  /** Gives the visible inlined rows to the receiver, the rows of the oldest inlined table first.
    * Rows that do not match according to the database are left out; the remaining rows need not
    * match.
    *
    * @param slice the rows to which the answer is limited; None: all rows
    */
  def read(
      request: InlinedRequest,
      predicates: Vector[Predicate],
      slice: Option[RowSlice],
  ): Unit = {
    request.receiver.begin()
    val tables = InlinedTables.of(session, dialect, table.id)
    lazy val tableColumns = new InlinedTableColumns(session, dialect, head.version, table.id)
    tables.foldLeft(request.limit) { (left, inlined) =>
      if (left.exists(_ <= 0)) left
      else {
        val rows =
          readTable(
            inlined,
            tableColumns.of(inlined),
            request.copy(limit = left),
            predicates,
            slice,
          )
        left.map(_ - rows)
      }
    }: Unit
  }

  /** Reads the rows of one inlined table, and returns their number. */
  private def readTable(
      inlined: InlinedTable,
      inlinedColumns: Vector[Column],
      request: InlinedRequest,
      predicates: Vector[Predicate],
      slice: Option[RowSlice],
  ): Long = {
    val values = new InlinedValues(dialect, inlined, inlinedColumns, request.columns, first = 3)
    val filter = new InlinedFilter(dialect, storedColumns(inlined, inlinedColumns), table.columns)
    val statement = sql.rows(
      inlined.name,
      head.snapshot.id,
      values.selections,
      filter.condition(predicates),
      slice.map(_.inlined),
      request.limit,
    )
    var rows = 0L // counted in the loop, which runs for every row
    session.foreach(statement) { row =>
      rows += 1
      request.receiver.add(
        InlinedRow(inlined.name, row.long(1), SnapshotId(row.long(2)), values.of(row))
      )
    }
    rows
  }

  private def storedColumns(
      inlined: InlinedTable,
      inlinedColumns: Vector[Column],
  ): Vector[(Column, String)] = inlinedColumns.zip(inlined.columnNames(inlinedColumns))
}
