package ducklake.catalog.commit

import ducklake.catalog.error.LakeException
import ducklake.catalog.model.Snapshot

/** How a commit ended. The files of the commit may be deleted only after `Failed`. */
sealed trait CommitOutcome {

  /** The new snapshot; for a staged commit its base snapshot, and the newest snapshot when nothing
    * was changed. Throws the cause of a failure.
    */
  def orThrow: Snapshot = this match {
    case CommitOutcome.Committed(snapshot) => snapshot
    case CommitOutcome.Unchanged(head) => head
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

  /** The operations are part of a larger commit, which comes later. */
  final case class Staged(base: Snapshot) extends CommitOutcome

  /** Certainly not committed. */
  final case class Failed(cause: LakeException) extends CommitOutcome

  /** The connection was lost during COMMIT, and the lake could not be read afterwards. */
  final case class Unknown(cause: LakeException) extends CommitOutcome
}
