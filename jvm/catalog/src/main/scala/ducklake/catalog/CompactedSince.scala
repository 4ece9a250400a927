package ducklake.catalog

import ducklake.catalog.error.CommitSubject
import ducklake.catalog.error.LakeError
import ducklake.catalog.error.LakeException
import ducklake.catalog.staged.StagedTable
import ducklake.catalog.types.SnapshotId

/** Finds compactions of other sessions that take away what a transaction has deleted. A flush and a
  * merge replace inlined rows and files in past snapshots too, so the base of a transaction then
  * lists the same rows in other files, where nothing hides the deleted ones.
  *
  * @param base of the transaction
  * @param newest the newest snapshot
  */
final class CompactedSince(base: LakeSnapshot, newest: () => Option[LakeSnapshot]) {

  /** To be called after the rows of the table at the base were listed.
    *
    * Errors: CommitConflict when the listing may show rows that the transaction has deleted.
    */
  def check(own: StagedTable): Unit =
    if (own.deletesRows)
      newest().filter(_.snapshot.id.value > base.snapshot.id.value).foreach { head =>
        if (isFlushed(own, head) || isMerged(own))
          throw new LakeException(
            LakeError.CommitConflict(
              s"it has deleted rows of ${own.table.qualifiedName}, which another commit has " +
                "compacted since it began, so it can only be rolled back",
              CommitSubject.Transaction,
            )
          )
      }

  private def isFlushed(own: StagedTable, head: LakeSnapshot): Boolean =
    own.endedRows.nonEmpty &&
      head
        .firstEntries(own.table.id, SnapshotId(base.snapshot.id.value + 1))(_.flushesRows)
        .nonEmpty

  private def isMerged(own: StagedTable): Boolean = {
    val files = (own.endedFiles ++ own.deleted.keys).toVector
    base.filesById(own.table, files).size < files.size
  }
}
