package ducklake.spark.maintenance

import ducklake.catalog.change.operation.CommitOutcome
import ducklake.catalog.error.LakeError
import ducklake.catalog.error.LakeException

/** Matches what conflicted with commits of others, so that planning again may help. */
private[maintenance] object Conflict {

  /** A commit. */
  def unapply(outcome: CommitOutcome): Option[LakeException] = outcome.failure.flatMap(unapply)

  /** A failure before the commit. */
  def unapply(failure: Throwable): Option[LakeException] = failure match {
    case cause: LakeException =>
      cause.error match {
        case _: LakeError.CommitConflict => Some(cause)
        case _ => None
      }
    case _ => None
  }
}
