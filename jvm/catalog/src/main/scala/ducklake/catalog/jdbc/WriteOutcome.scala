package ducklake.catalog.jdbc

import ducklake.catalog.error.LakeException

/** How a transaction that changes the database ended. */
sealed trait WriteOutcome[+A]

object WriteOutcome {
  final case class Done[A](value: A) extends WriteOutcome[A]

  /** Nothing was changed, for certain. */
  final case class Failed(failure: SqlFailure, cause: LakeException) extends WriteOutcome[Nothing]

  /** The connection was lost during COMMIT. */
  final case class Unknown(cause: LakeException) extends WriteOutcome[Nothing]
}
