package ducklake.catalog.change

import ducklake.catalog.model.Snapshot

/** What a statement wants to become the next snapshot.
  *
  * @param base the snapshot that the statement saw; what others did since is checked against it
  * @param inliningRowLimit the catalog key, used where no stored option says otherwise
  */
final case class PendingCommit(
    base: Snapshot,
    operations: Vector[Operation],
    info: CommitInfo,
    inliningRowLimit: Long,
)

/** Free text that a snapshot carries. */
final case class CommitInfo(
    author: Option[String],
    message: Option[String],
    extraInfo: Option[String],
)

object CommitInfo {
  val none: CommitInfo = CommitInfo(None, None, None)
}
