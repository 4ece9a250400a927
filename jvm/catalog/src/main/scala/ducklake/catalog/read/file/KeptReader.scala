package ducklake.catalog.read.file

import ducklake.catalog.change.statistics.KeptBounds
import ducklake.catalog.jdbc.Database
import ducklake.catalog.model.LakeTable
import ducklake.catalog.read.snapshot.CatalogHead
import ducklake.catalog.read.snapshot.SnapshotReader
import ducklake.catalog.sql.query.KeptSql
import ducklake.catalog.types.TableId

/** How the statistics of a table compare with its files.
  *
  * @param recorded number of rows by its statistics; None when it is not known
  * @param live rows of its live files, deleted ones included
  * @param files live files and files that are kept for past snapshots
  */
final case class RecordedRows(table: TableId, recorded: Option[Long], live: Long, files: Long)

/** Reads the bounds of a table from the whole catalog, for statistics that are recomputed. */
final class KeptReader(database: Database, snapshots: SnapshotReader) {

  /** The bounds of all rows of the table. Errors: Unsupported when the lake was migrated since the
    * snapshot of `head` was found.
    */
  def bounds(head: CatalogHead, table: LakeTable): KeptBounds =
    database.consistent(s"read the statistics of ${table.qualifiedName}") { session =>
      // A commit adds what begins after this transaction, which may see more than `head`.
      val seen = snapshots.unmigratedIn(session, head).snapshot
      val reader = new KeptBoundsReader(session, database.dialect, head.version, table)
      KeptBounds(head.snapshot.id, seen.nextFileId, reader.since(None))
    }

  def recordedRows(head: CatalogHead): Vector[RecordedRows] =
    database.consistent("compare statistics with files") { session =>
      snapshots.unmigratedIn(session, head): Unit
      session.query(new KeptSql(database.dialect, head.version).recorded) { row =>
        RecordedRows(TableId(row.long(1)), row.longOption(2), row.longOr(3, 0L), row.longOr(4, 0L))
      }
    }
}
