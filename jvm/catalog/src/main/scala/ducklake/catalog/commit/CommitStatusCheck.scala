package ducklake.catalog.commit

import ducklake.catalog.change.statement.PlannedCommit
import ducklake.catalog.commit.transaction.RetryPolicy
import ducklake.catalog.commit.transaction.RetryWait
import ducklake.catalog.jdbc.Abandoned
import ducklake.catalog.jdbc.Database
import ducklake.catalog.jdbc.SqlFailure
import ducklake.catalog.jdbc.WriteOutcome
import ducklake.catalog.sql.query.CommitSql

import scala.annotation.tailrec
import scala.util.control.NonFatal

/** Finds out whether a commit whose connection was lost during COMMIT is in the lake. */
private[commit] final class CommitStatusCheck(database: Database, sql: CommitSql) {
  import CommitStatusCheck.*

  def check(planned: PlannedCommit, retry: RetryPolicy): CommitStatus = check(planned, retry, 0)

  @tailrec
  private def check(planned: PlannedCommit, retry: RetryPolicy, asked: Int): CommitStatus =
    once(planned) match {
      case CommitStatus.Unknown
          if asked < retry.maxCount && RetryWait.lasts(retry.wait(asked + 1, 1.0)) =>
        check(planned, retry, asked + 1)
      case status => status
    }

  /** Tries to insert the snapshot's key. On a database server the insert waits until the lost
    * transaction has ended. After that the key is free, or the row with the key shows which commit
    * inserted it. A free key below later snapshots may be the key of an expired commit.
    */
  private def once(planned: PlannedCommit): CommitStatus =
    try
      database.write("look for the commit") { session =>
        session.execute(planned.claim)
        val later = session.first(sql.changesAfter(planned.snapshot.id))(_.long(1))
        throw if (later.isEmpty) KeyIsFree else KeyIsFreeAgain
      } match {
        case WriteOutcome.Failed(SqlFailure.Collision(_), _) => read(planned)
        case WriteOutcome.Done(_) | WriteOutcome.Failed(_, _) | WriteOutcome.Unknown(_) =>
          CommitStatus.Unknown
      }
    catch {
      case KeyIsFree => CommitStatus.NotCommitted
      case KeyIsFreeAgain => CommitStatus.Overtaken
      case _: InterruptedException =>
        Thread.currentThread().interrupt()
        CommitStatus.Unknown
      // After any other failure the commit may be in the lake.
      case NonFatal(_) => CommitStatus.Unknown
    }

  private def read(planned: PlannedCommit): CommitStatus = {
    val stored = database.single("look for the commit") { session =>
      session.first(sql.changesOf(planned.snapshot.id))(row => (row.instant(1), row.textOption(2)))
    }
    stored match {
      case Some((time, text))
          if time == planned.snapshot.time && text.contains(planned.changesMade) =>
        CommitStatus.Committed
      case Some(_) => CommitStatus.NotCommitted
      // The snapshot has expired since, or the collision was not a taken key.
      case None => CommitStatus.Unknown
    }
  }
}

private object CommitStatusCheck {
  private object KeyIsFree extends Abandoned
  private object KeyIsFreeAgain extends Abandoned
}

/** Whether a commit whose connection was lost is in the lake. */
private[commit] sealed trait CommitStatus

private[commit] object CommitStatus {
  case object Committed extends CommitStatus

  /** The commit is not in the lake and cannot be added to it any more. */
  case object NotCommitted extends CommitStatus

  /** The lake has later snapshots but not the snapshot of the commit, which may have expired. */
  case object Overtaken extends CommitStatus

  /** The lake cannot be read. */
  case object Unknown extends CommitStatus
}
