package ducklake.catalog.commit

import ducklake.catalog.error.LakeError
import ducklake.catalog.error.LakeException
import ducklake.catalog.jdbc.Database
import ducklake.catalog.jdbc.WriteOutcome
import ducklake.catalog.jdbc.WriteSession

import java.util.concurrent.ThreadLocalRandom

import scala.annotation.tailrec

/** A transaction that can safely run twice: it is tried again when it meets another, and when its
  * outcome is not known.
  *
  * @param attempted what it does, an infinitive such as "expire snapshots"
  */
private[commit] final class RepeatableTransaction(
    database: Database,
    retry: RetryPolicy,
    attempted: String,
) {

  /** Errors: those of the database; StatementInterrupted. */
  def run[A](body: WriteSession => A): A = attempt(0)(body)

  /** As [[run]], but commits that are under way are over before the body begins, and later ones wait
    * for its end.
    */
  def inTurn[A](body: WriteSession => A): A = run { session =>
    database.dialect.awaitTurn.foreach(session.execute)
    body(session)
  }

  @tailrec
  private def attempt[A](retries: Int)(body: WriteSession => A): A =
    tried(body) match {
      case Right(value) => value
      case Left(cause) if retries >= retry.maxCount => throw cause
      case Left(_) =>
        val pause = retry.wait(retries + 1, ThreadLocalRandom.current().nextDouble())
        if (!RetryWait.lasts(pause)) interrupted()
        attempt(retries + 1)(body)
    }

  /** Left: why the transaction did not succeed, and another attempt may. */
  private def tried[A](body: WriteSession => A): Either[LakeException, A] =
    try
      database.write(attempted)(body) match {
        case WriteOutcome.Done(value) => Right(value)
        case WriteOutcome.Failed(failure, cause) if failure.mayPass => Left(cause)
        case WriteOutcome.Failed(_, cause) => throw cause
        case WriteOutcome.Unknown(cause) => Left(cause)
      }
    catch {
      case _: InterruptedException =>
        Thread.currentThread().interrupt()
        interrupted()
    }

  /** Ends the statement of an interrupted thread. */
  def interrupted(): Nothing =
    throw new LakeException(LakeError.StatementInterrupted(s"wanted to $attempted"))
}
