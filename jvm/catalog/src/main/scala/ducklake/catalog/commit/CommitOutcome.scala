package ducklake.catalog.commit

import ducklake.catalog.error.LakeException
import ducklake.catalog.model.Snapshot

/** How a commit ended. Files that it names may be deleted only after `Failed`. */
sealed trait CommitOutcome {

  /** The new snapshot; of what is staged, the one it is based on. Throws the cause of a failure. */
  def orThrow: Snapshot = this match {
    case CommitOutcome.Committed(snapshot) => snapshot
    case CommitOutcome.Staged(base) => base
    case CommitOutcome.Failed(cause) => throw cause
    case CommitOutcome.Unknown(cause) => throw cause
  }
}

object CommitOutcome {
  final case class Committed(snapshot: Snapshot) extends CommitOutcome

  /** Part of a greater commit, which is still to come. */
  final case class Staged(base: Snapshot) extends CommitOutcome

  /** Certainly not committed. */
  final case class Failed(cause: LakeException) extends CommitOutcome

  /** The connection was lost during COMMIT and the lake could not be asked. */
  final case class Unknown(cause: LakeException) extends CommitOutcome
}
