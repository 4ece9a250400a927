package ducklake.catalog.jdbc

import ducklake.catalog.error.LakeError
import ducklake.catalog.error.LakeException
import ducklake.catalog.error.OutcomeHint

/** How a writing transaction ended. */
sealed trait WriteOutcome[+A] {

  /** The value of the transaction, for transactions that can safely run twice.
    *
    * @param attempted what the transaction does, an infinitive such as "set the option"
    *
    * Errors: the failure; CommitOutcomeUnknown.
    */
  def orThrow(attempted: String): A = this match {
    case WriteOutcome.Done(value) => value
    case WriteOutcome.Failed(_, cause) => throw cause
    case unknown: WriteOutcome.Unknown => throw unknown.asException(attempted)
  }
}

object WriteOutcome {
  final case class Done[A](value: A) extends WriteOutcome[A]

  /** Nothing was changed; this is certain. */
  final case class Failed(failure: SqlFailure, cause: LakeException) extends WriteOutcome[Nothing]

  /** The connection was lost during COMMIT. */
  final case class Unknown(cause: LakeException) extends WriteOutcome[Nothing] {

    /** The error of a transaction that can safely run twice. */
    def asException(attempted: String): LakeException = {
      val error = LakeError.CommitOutcomeUnknown(attempted, OutcomeHint.RunAgain)
      new LakeException(error, Some(cause))
    }
  }
}
