package ducklake.catalog.commit.expiry

import ducklake.catalog.commit.transaction.FailureText
import ducklake.catalog.commit.transaction.RepeatableTransaction
import ducklake.catalog.commit.transaction.RetryPolicy
import ducklake.catalog.commit.transaction.RetryWait
import ducklake.catalog.error.LakeError
import ducklake.catalog.error.LakeException
import ducklake.catalog.jdbc.Database
import ducklake.catalog.jdbc.WriteSession
import ducklake.catalog.model.Snapshot
import ducklake.catalog.read.snapshot.SnapshotReader

import scala.annotation.tailrec

/** Changes the catalog in many short transactions, so that other writers commit in between. A
  * transaction changes as many objects as it can in about [[ShortTransactions.WantedMillis]], and a
  * pause follows it. Each transaction can safely run twice: it is tried again after a collision
  * with another transaction, and when its outcome is unknown.
  *
  * @param attempted what the steps do, an infinitive such as "expire snapshots"
  * @param known a snapshot that the lake must still have, because the steps were planned with it
  */
private[expiry] final class ShortTransactions(
    database: Database,
    snapshots: SnapshotReader,
    retry: RetryPolicy,
    attempted: String,
    known: Snapshot,
) {
  import ShortTransactions.*

  private val repeatable = new RepeatableTransaction(database, retry, attempted)

  // The number of objects that the next transaction changes. Used by one thread.
  private var size = FirstSize
  private var transactions = 0

  /** Runs the steps of `body`. When a step fails after others have changed the catalog, the error
    * is MaintenanceIncomplete.
    *
    * @param procedure the name of the procedure, for the message
    */
  def whole[A](procedure: String)(body: => A): A =
    try body
    catch {
      case cause: LakeException if transactions > 0 =>
        val done = if (transactions == 1) "1 transaction" else s"$transactions transactions"
        val why = FailureText.why(cause).stripSuffix(".")
        throw new LakeException(LakeError.MaintenanceIncomplete(procedure, done, why), Some(cause))
    }

  /** Runs the step for all objects, in groups.
    *
    * Errors: those of the database; CommitConflict when the lake was replaced by another.
    */
  def each[A](objects: Vector[A])(step: (WriteSession, Vector[A]) => Unit): Unit =
    sum(objects, ())(step)((_, _) => ())

  /** As [[each]]. Returns the sum of the results of the steps. */
  def sum[A, B](objects: Vector[A], before: B)(step: (WriteSession, Vector[A]) => B)(
      plus: (B, B) => B
  ): B = added(objects, before, Turn.Any)(step)(plus)

  /** Like [[sum]], but each step first waits for the commits that are under way, and later commits
    * wait for the end of the step.
    */
  def sumInTurn[A, B](objects: Vector[A], before: B)(step: (WriteSession, Vector[A]) => B)(
      plus: (B, B) => B
  ): B = added(objects, before, Turn.Awaited)(step)(plus)

  @tailrec
  private def added[A, B](objects: Vector[A], before: B, turn: Turn)(
      step: (WriteSession, Vector[A]) => B
  )(plus: (B, B) => B): B =
    if (objects.isEmpty) before
    else {
      val (now, later) = objects.splitAt(size)
      added(later, plus(before, transaction(turn)(step(_, now))), turn)(step)(plus)
    }

  /** Runs the step for all positions in the stored order of a table, from the last to the first, in
    * ranges of adapted length.
    *
    * @param step gets the first position of a range, and the position after its last one
    */
  def backwards(end: Long, rowsEach: Int)(step: (WriteSession, Long, Long) => Unit): Unit =
    backwards(end, FirstRows / rowsEach, rowsEach, step)

  @tailrec
  private def backwards(
      until: Long,
      length: Long,
      rowsEach: Int,
      step: (WriteSession, Long, Long) => Unit,
  ): Unit =
    if (until > 0) {
      val from = math.max(0L, until - length)
      val (_, millis) = timed(Turn.Any)(step(_, from, until))
      val next = adapted(length, millis, SmallestRows / rowsEach, LargestRows / rowsEach)
      backwards(from, next, rowsEach, step)
    }

  /** Runs one transaction, then waits a moment. */
  def once[A](body: WriteSession => A): A = transaction(Turn.Any)(body)

  /** Like [[once]], but in turn with commits, like [[sumInTurn]]. */
  def onceInTurn[A](body: WriteSession => A): A = transaction(Turn.Awaited)(body)

  private def transaction[A](turn: Turn)(body: WriteSession => A): A = {
    val (result, millis) = timed(turn)(body)
    size = nextSize(size, millis)
    result
  }

  /** Runs one transaction, waits a moment, and says how long the transaction has taken. */
  private def timed[A](turn: Turn)(body: WriteSession => A): (A, Long) = {
    val started = System.nanoTime()
    val checked = (session: WriteSession) => {
      check(session)
      body(session)
    }
    val result = turn match {
      case Turn.Awaited => repeatable.inTurn(checked)
      case Turn.Any => repeatable.run(checked)
    }
    transactions += 1
    val millis = (System.nanoTime() - started) / 1000000
    if (!RetryWait.lasts(math.max(ShortestPause, math.min(millis / 4, LongestPause))))
      repeatable.interrupted()
    (result, millis)
  }

  private def check(session: WriteSession): Unit =
    if (!snapshots.newestIn(session, known.id).has(known))
      throw new LakeException(
        LakeError.CommitConflict(
          s"it wants to $attempted, and snapshot ${known.id.value}, the newest when it began, is " +
            "gone: another call expired it, or the catalog was put back from a copy"
        )
      )
}

private[expiry] object ShortTransactions {

  /** Whether a transaction waits for the commits that are under way. */
  private sealed trait Turn

  private object Turn {
    case object Awaited extends Turn
    case object Any extends Turn
  }

  /** How long a transaction should take. */
  val WantedMillis: Long = 300

  private val FirstSize = 1000

  /** Smaller steps would not be shorter where a statement reads a whole table. */
  private val SmallestSize = 250
  private val LargestSize = 5000

  /** The rows of a part of a table: of the first one, at least, and at most. */
  private val FirstRows = 20_000L
  private val SmallestRows = 5_000L
  private val LargestRows = 10_000_000L
  private val ShortestPause = 5L
  private val LongestPause = 100L

  /** The number of objects for the next transaction, from the time that this number has taken. */
  def nextSize(size: Int, millis: Long): Int =
    adapted(size.toLong, millis, SmallestSize.toLong, LargestSize.toLong).toInt

  private def adapted(size: Long, millis: Long, smallest: Long, largest: Long): Long =
    if (millis > WantedMillis) math.max(smallest, size / 2)
    else if (millis < WantedMillis / 2) math.min(largest, size * 2)
    else size
}
