package ducklake.catalog.commit

import ducklake.catalog.change.PlannedCommit
import ducklake.catalog.error.LakeException
import ducklake.catalog.jdbc.Database
import ducklake.catalog.jdbc.SqlFailure
import ducklake.catalog.jdbc.WriteOutcome
import ducklake.catalog.sql.CommitSql

import scala.annotation.tailrec
import scala.util.control.NoStackTrace

/** Finds out what became of a commit whose connection was lost during COMMIT. */
private[commit] final class CommitProbe(database: Database, sql: CommitSql) {
  import CommitProbe.*

  def ask(planned: PlannedCommit, retry: RetryPolicy): Answer = ask(planned, retry, 0)

  @tailrec
  private def ask(planned: PlannedCommit, retry: RetryPolicy, asked: Int): Answer =
    once(planned) match {
      case Answer.None if asked < retry.maxCount && Pause.lasts(retry.wait(asked + 1, 1.0)) =>
        ask(planned, retry, asked + 1)
      case answer => answer
    }

  /** Tries to take the snapshot's key. A database server lets that wait until the lost transaction has
    * ended: then the key is free, or its row tells whose it is.
    */
  private def once(planned: PlannedCommit): Answer =
    try
      database.write("look for the commit") { session =>
        session.execute(planned.claim)
        throw KeyIsFree
      } match {
        case WriteOutcome.Failed(SqlFailure.Collision(_), _) => read(planned)
        case WriteOutcome.Done(_) | WriteOutcome.Failed(_, _) | WriteOutcome.Unknown(_) =>
          Answer.None
      }
    catch {
      case KeyIsFree => Answer.NotOurs
      case _: InterruptedException =>
        Thread.currentThread().interrupt()
        Answer.None
    }

  private def read(planned: PlannedCommit): Answer =
    try {
      val told = database.single("look for the commit") { session =>
        session.first(sql.told(planned.snapshot.id))(row => (row.instant(1), row.textOption(2)))
      }
      told match {
        case Some((time, text))
            if time == planned.snapshot.time && text.contains(planned.changesMade) =>
          Answer.Ours
        case _ => Answer.NotOurs
      }
    } catch { case _: LakeException => Answer.None }
}

private[commit] object CommitProbe {
  sealed trait Answer

  object Answer {
    case object Ours extends Answer

    /** The commit is not in the lake and cannot come any more. */
    case object NotOurs extends Answer

    /** The lake cannot be asked. */
    case object None extends Answer
  }

  private object KeyIsFree extends RuntimeException with NoStackTrace
}
