package ducklake.catalog.change

import ducklake.catalog.model.Snapshot

/** The operations of a statement that is to be committed.
  *
  * @param base the snapshot that the statement read; the commit checks for conflicts with all later
  *   snapshots
  * @param inliningRowLimit the limit from the catalog settings, used when no stored option has a
  *   limit
  */
final case class PendingCommit(
    base: Snapshot,
    operations: Vector[Operation],
    info: CommitInfo,
    inliningRowLimit: Long,
)

/** Free text that is stored with a snapshot. */
final case class CommitInfo(
    author: Option[String],
    message: Option[String],
    extraInfo: Option[String],
)

object CommitInfo {
  val none: CommitInfo = CommitInfo(None, None, None)
}
