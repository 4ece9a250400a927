package ducklake.catalog.commit.expiry

import ducklake.catalog.commit.transaction.RetryPolicy
import ducklake.catalog.jdbc.Database
import ducklake.catalog.listing.ScheduledFile
import ducklake.catalog.model.Snapshot
import ducklake.catalog.read.snapshot.SnapshotReader
import ducklake.catalog.sql.write.ExpirySql

/** Removes files that were deleted from storage from the list of files scheduled for deletion. */
final class ScheduleCleanup(database: Database, snapshots: SnapshotReader, retry: RetryPolicy) {
  private val sql = new ExpirySql(database.dialect)

  /** Removes the rows in short transactions. All rows of a path are removed.
    *
    * @param known a snapshot of the lake
    *
    * Errors: those of the database; CommitConflict when the lake was replaced by another.
    */
  def remove(known: Snapshot, files: Vector[ScheduledFile]): Unit = {
    val steps =
      new ShortTransactions(
        database,
        snapshots,
        retry,
        "remove deleted files from the catalog",
        known,
      )
    steps.each(files.map(_.storedPath))((session, some) => session.execute(sql.unschedule(some)))
  }
}
