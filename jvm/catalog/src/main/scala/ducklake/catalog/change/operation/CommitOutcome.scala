package ducklake.catalog.change.operation

import ducklake.catalog.error.LakeException
import ducklake.catalog.model.Snapshot

/** How a commit ended. */
sealed trait CommitOutcome {

  /** The new snapshot, when there is one for certain. */
  def committed: Option[Snapshot] = this match {
    case CommitOutcome.Committed(snapshot) => Some(snapshot)
    case CommitOutcome.Unchanged(_) | CommitOutcome.Repeated(_, _) | CommitOutcome.Staged(_) |
        CommitOutcome.Failed(_) | CommitOutcome.Unknown(_) =>
      None
  }

  /** Why there is certainly no snapshot of the commit. */
  def failure: Option[LakeException] = this match {
    case CommitOutcome.Failed(cause) => Some(cause)
    case CommitOutcome.Committed(_) | CommitOutcome.Unchanged(_) | CommitOutcome.Repeated(_, _) |
        CommitOutcome.Staged(_) | CommitOutcome.Unknown(_) =>
      None
  }

  /** Runs `discard`, which deletes the files of the commit, when the commit has certainly made no
    * snapshot. After an unknown outcome the files stay, because a snapshot may name them: a file
    * too many costs space until `delete_orphaned_files` removes it, a file too few is lost data.
    * Files of a staged commit belong to the larger commit.
    *
    * Source: ours, decision 06.
    */
  def ifNoSnapshot(discard: => Unit): Unit = this match {
    case CommitOutcome.Unchanged(_) | CommitOutcome.Repeated(_, _) | CommitOutcome.Failed(_) =>
      discard
    case CommitOutcome.Committed(_) | CommitOutcome.Staged(_) | CommitOutcome.Unknown(_) => ()
  }

  /** The new snapshot; for a staged commit its base snapshot, and the newest snapshot when nothing
    * was changed. Throws the cause of a failure.
    */
  def orThrow: Snapshot = this match {
    case CommitOutcome.Committed(snapshot) => snapshot
    case CommitOutcome.Unchanged(head) => head
    case CommitOutcome.Repeated(head, _) => head
    case CommitOutcome.Staged(base) => base
    case CommitOutcome.Failed(cause) => throw cause
    case CommitOutcome.Unknown(cause) => throw cause
  }
}

object CommitOutcome {
  final case class Committed(snapshot: Snapshot) extends CommitOutcome

  /** The operations change nothing, and no snapshot was created.
    *
    * @param head the newest snapshot
    */
  final case class Unchanged(head: Snapshot) extends CommitOutcome

  /** The rows are in the lake already, by an earlier commit of the same write, and no snapshot was
    * created.
    *
    * @param head the newest snapshot
    */
  final case class Repeated(head: Snapshot, write: NumberedWrite) extends CommitOutcome

  /** The operations are part of a larger commit, which comes later. */
  final case class Staged(base: Snapshot) extends CommitOutcome

  /** Certainly not committed. */
  final case class Failed(cause: LakeException) extends CommitOutcome

  /** The connection was lost during COMMIT, and the lake could not be read afterwards. */
  final case class Unknown(cause: LakeException) extends CommitOutcome
}
