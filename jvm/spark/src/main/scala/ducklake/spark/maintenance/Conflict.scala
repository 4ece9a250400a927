package ducklake.spark.maintenance

import ducklake.catalog.change.operation.CommitOutcome
import ducklake.catalog.error.LakeError
import ducklake.catalog.error.LakeException

/** Matches a commit that conflicted with commits of others, so that planning again may help. */
private[maintenance] object Conflict {

  def unapply(outcome: CommitOutcome): Option[LakeException] =
    outcome.failure.filter { cause =>
      cause.error match {
        case _: LakeError.CommitConflict => true
        case _ => false
      }
    }
}
