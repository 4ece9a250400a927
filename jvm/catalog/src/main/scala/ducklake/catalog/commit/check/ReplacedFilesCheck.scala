package ducklake.catalog.commit.check

import ducklake.catalog.change.operation.Operation
import ducklake.catalog.error.LakeError
import ducklake.catalog.error.LakeException
import ducklake.catalog.jdbc.Session
import ducklake.catalog.sql.Dialect
import ducklake.catalog.sql.FormatVersion

/** Checks that the sources of a commit still exist: the files that a compaction replaces, the rows
  * and deletes that a flush moves out of the catalog, and the snapshots and files that a rollback
  * brings back. Every commit is checked, also when its base is the newest snapshot. A compaction
  * commits in steps, and the base of a step is the step before, which may follow commits that
  * touched files of this step. An expiry makes no snapshot.
  */
private[commit] final class ReplacedFilesCheck(
    session: Session,
    dialect: Dialect,
    version: FormatVersion,
) {
  private val merges = new FileMergeCheck(session, dialect)
  private val rewrites = new RewriteCheck(session, dialect)
  private val flushes = new FlushCheck(session, dialect, version)
  private val restores = new RestoreCheck(session, dialect)

  /** Errors: CommitConflict when a snapshot or a file that should come back is gone. */
  def checkPast(operations: Vector[Operation]): Unit = {
    val snapshots = operations.collect { case one: Operation.Restoration => one.at }
    refuse(restores.ofSnapshots(snapshots.distinct))
    operations.foreach {
      case files: Operation.RestoreFiles => refuse(restores.ofSources(files))
      case _ => ()
    }
  }

  /** Errors: CommitConflict when rows of the files were deleted, or the files were replaced or have
    * expired, or the inlined rows of a flush were changed.
    */
  def checkReplaced(operations: Vector[Operation]): Unit = operations.foreach {
    case replacement: Operation.Replacement => refuse(clash(replacement))
    case _ => ()
  }

  private def clash(replacement: Operation.Replacement): Option[String] = replacement match {
    case merge: Operation.MergeFiles => merges.ofSources(merge)
    case rewrite: Operation.RewriteFiles => rewrites.ofSources(rewrite)
    case flush: Operation.FlushInlined => flushes.clash(flush)
  }

  private def refuse(why: Option[String]): Unit =
    why.foreach(text => throw new LakeException(LakeError.CommitConflict(text)))
}
