package ducklake.catalog.read.inlined

import ducklake.catalog.jdbc.Session
import ducklake.catalog.listing.InlinedTable
import ducklake.catalog.sql.Dialect
import ducklake.catalog.types.TableId

/** Reads which inlined tables a table has. */
object InlinedTables {

  /** The inlined tables of a table, oldest first. */
  private[catalog] def of(
      session: Session,
      dialect: Dialect,
      table: TableId,
  ): Vector[InlinedTable] =
    session
      .query(dialect.inlinedTables(table)) { row =>
        val table = InlinedTable(row.text(1), row.long(2))
        table.copy(stored = row.textOption(3).toVector, declared = row.textOption(4).toVector)
      }
      .foldLeft(Vector.empty[InlinedTable]) {
        case (done :+ last, table) if last.name == table.name =>
          val declared = last.declared ++ table.declared
          done :+ last.copy(stored = last.stored ++ table.stored, declared = declared)
        case (done, table) => done :+ table
      }
}
