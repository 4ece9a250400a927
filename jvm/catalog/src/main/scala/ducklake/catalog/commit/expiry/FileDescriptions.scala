package ducklake.catalog.commit.expiry

import ducklake.catalog.jdbc.Database
import ducklake.catalog.model.KeptSnapshots
import ducklake.catalog.sql.MetadataTable
import ducklake.catalog.sql.Sql
import ducklake.catalog.sql.Sql.Interpolator
import ducklake.catalog.sql.write.ExpirySql
import ducklake.catalog.types.TableId

/** Removes what the catalog says of data files that no snapshot sees: statistics and partition
  * values. Their tables have no key, and can be far larger than all others, so a call goes through
  * each of them once, in parts, however many files it removes.
  */
private[expiry] final class FileDescriptions(
    database: Database,
    sql: ExpirySql,
    steps: ShortTransactions,
) {
  import FileDescriptions.*

  /** @param kept the snapshots of the lake
    * @param pages the ids of the files that no snapshot sees, page by page
    * @param tables tables that no snapshot sees; the files are theirs, or have ended
    */
  def remove(kept: KeptSnapshots, pages: Iterator[Vector[Long]], tables: Vector[TableId]): Unit =
    pages
      .map(ids => (ids.min, ids.max))
      .reduceOption((one, other) => (one._1.min(other._1), one._2.max(other._2)))
      .foreach { ids =>
        ExpirySql.describingFiles.foreach { table =>
          kept.gaps.grouped(GapsPerPass).foreach { some =>
            sweep(table)(sql.removeOfEnded(table, ids, some, _))
          }
          tables.grouped(TablesPerPass).foreach { some =>
            sweep(table)(sql.removeOfTables(table, some, _))
          }
        }
      }

  private def sweep(table: MetadataTable)(remove: Sql => Sql): Unit =
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

private object FileDescriptions {
  private val TablesPerPass = 1000

  /** SQLite nests conditions no deeper than 1000. */
  private val GapsPerPass = 200
}
