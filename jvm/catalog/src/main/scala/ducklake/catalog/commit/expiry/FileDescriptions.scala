package ducklake.catalog.commit.expiry

import ducklake.catalog.model.KeptSnapshots
import ducklake.catalog.sql.write.ExpirySql
import ducklake.catalog.types.TableId

/** Removes what the catalog says of data files that no snapshot sees: statistics and partition
  * values. Their tables have no key, and can be far larger than all others, so a call goes through
  * each of them once, in parts, however many files it removes.
  */
private[expiry] final class FileDescriptions(
    sql: ExpirySql,
    sweep: TableSweep,
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
            sweep.run(table)(sql.removeOfEnded(table, ids, some, _))
          }
          tables.grouped(TablesPerPass).foreach { some =>
            sweep.run(table)(sql.removeOfTables(table, some, _))
          }
        }
      }
}

private object FileDescriptions {
  private val TablesPerPass = 1000

  /** SQLite nests conditions no deeper than 1000. */
  private val GapsPerPass = 200
}
