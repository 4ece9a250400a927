package ducklake.spark.maintenance

import ducklake.catalog.commit.CommitOutcome
import ducklake.catalog.error.LakeError
import ducklake.catalog.error.LakeException

/** Matches a commit that conflicted with commits of others, so that planning again may help. */
private[maintenance] object Conflict {

  def unapply(outcome: CommitOutcome): Option[LakeException] =
    outcome match {
      case CommitOutcome.Failed(cause) =>
        cause.error match {
          case LakeError.CommitConflict(_) => Some(cause)
          case _ => None
        }
      case CommitOutcome.Committed(_) | CommitOutcome.Unchanged(_) | CommitOutcome.Staged(_) |
          CommitOutcome.Unknown(_) =>
        None
    }
}
