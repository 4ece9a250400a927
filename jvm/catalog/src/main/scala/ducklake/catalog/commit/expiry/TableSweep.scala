package ducklake.catalog.commit.expiry

import ducklake.catalog.jdbc.Database
import ducklake.catalog.sql.MetadataTable
import ducklake.catalog.sql.Sql
import ducklake.catalog.sql.Sql.Interpolator

/** Goes through a metadata table without a key once, in parts of the order in which the database
  * stores its rows, so that each transaction is short.
  */
private[expiry] final class TableSweep(database: Database, steps: ShortTransactions) {

  /** @param remove the statement that removes rows of a part, from the condition for the part on
    *   the table, which it calls `swept`
    */
  def run(table: MetadataTable)(remove: Sql => Sql): Unit =
    database.dialect.storedOrder match {
      case None => steps.once(session => session.execute(remove(sql"1 = 1")))
      case Some(order) =>
        val end = database
          .single("look for the end of a table")(_.first(order.end(table))(_.long(1)))
          .getOrElse(0L)
        steps.backwards(end, order.rowsEach) { (session, from, until) =>
          session.execute(remove(order.isWithin("swept", from, until)))
        }
    }
}
