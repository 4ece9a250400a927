package ducklake.catalog.commit.transaction

import ducklake.catalog.error.LakeError
import ducklake.catalog.error.LakeException
import ducklake.catalog.jdbc.Database
import ducklake.catalog.jdbc.WriteOutcome
import ducklake.catalog.jdbc.WriteSession

import java.util.concurrent.ThreadLocalRandom

import scala.annotation.tailrec

/** A transaction that can safely run twice: it is tried again after a collision with another
  * transaction, and when its outcome is unknown.
  *
  * @param attempted the action, an infinitive such as "expire snapshots"
  */
private[commit] final class RepeatableTransaction(
    database: Database,
    retry: RetryPolicy,
    attempted: String,
) {
  import RepeatableTransaction.Failed

  /** Errors: those of the database; CommitOutcomeUnknown, when an attempt may have succeeded and
    * later attempts did not; StatementInterrupted.
    */
  def run[A](body: WriteSession => A): A = attempt(0, None)(body)

  /** Like [[run]], but first waits for the commits that are under way; later commits wait for the
    * end of `body`.
    */
  def inTurn[A](body: WriteSession => A): A = run { session =>
    database.dialect.awaitTurn.foreach(session.execute)
    body(session)
  }

  /** @param unknown the error of an earlier attempt that may have succeeded */
  @tailrec
  private def attempt[A](retries: Int, unknown: Option[LakeException])(
      body: WriteSession => A
  ): A =
    tried(body) match {
      case Right(value) => value
      case Left(failed) =>
        val open = unknown.orElse(Option.when(failed.mayBeDone)(failed.cause))
        if (!failed.mayPass || retries >= retry.maxCount) throw open.getOrElse(failed.cause)
        val pause = retry.wait(retries + 1, ThreadLocalRandom.current().nextDouble())
        if (!RetryWait.lasts(pause)) interrupted()
        attempt(retries + 1, open)(body)
    }

  private def tried[A](body: WriteSession => A): Either[Failed, A] =
    try
      database.write(attempted)(body) match {
        case WriteOutcome.Done(value) => Right(value)
        case WriteOutcome.Failed(failure, cause) => Left(Failed(cause, mayPass = failure.mayPass))
        case unknown: WriteOutcome.Unknown =>
          Left(Failed(unknown.asException(attempted), mayPass = true, mayBeDone = true))
      }
    catch {
      case _: InterruptedException =>
        Thread.currentThread().interrupt()
        interrupted()
      case cause: LakeException => Left(Failed(cause, mayPass = false))
    }

  /** Ends the statement of an interrupted thread. */
  def interrupted(): Nothing =
    throw new LakeException(LakeError.StatementInterrupted(s"wanted to $attempted"))
}

private object RepeatableTransaction {

  /** An attempt that did not succeed.
    *
    * @param mayPass whether another attempt may succeed
    * @param mayBeDone whether this attempt may have succeeded nevertheless
    */
  final case class Failed(cause: LakeException, mayPass: Boolean, mayBeDone: Boolean = false)
}
