package ducklake.catalog.commit

import ducklake.catalog.change.operation.PendingCommit
import ducklake.catalog.change.statement.CommitContext
import ducklake.catalog.change.statement.CommitStatements
import ducklake.catalog.error.LakeError
import ducklake.catalog.error.LakeException
import ducklake.catalog.jdbc.WriteSession
import ducklake.catalog.types.SnapshotId

import java.time.Instant
import java.time.temporal.ChronoUnit

/** Checks commits whose snapshots have times of their own. Snapshots have the order of their times:
  * DuckDB finds the snapshot of a moment by its time alone, whatever its id, and of two equal times it
  * takes either (decision 31).
  */
private[commit] final class CommitTimes(session: WriteSession, statements: CommitStatements) {

  /** The context, in which the newest snapshot is older than that of the commit. Snapshot 0 has
    * nothing but the schema `main`, so its time goes back when it is the newest one.
    *
    * Errors: Unsupported.
    */
  def checked(pending: PendingCommit, context: CommitContext): CommitContext =
    pending.time.fold(context) { time =>
      val head = context.head
      if (time.isAfter(context.now))
        refuse(time, s"the clock of the catalog database shows ${context.now}")
      else if (time.isAfter(head.time)) context
      else if (head.id == CommitTimes.First) {
        val first = head.copy(time = time.minus(1, ChronoUnit.MICROS))
        session.execute(statements.timed(first))
        context.copy(head = first)
      } else refuse(time, s"snapshot ${head.id.value}, the newest one, is of ${head.time}")
    }

  private def refuse(time: Instant, why: String): Nothing =
    throw new LakeException(
      LakeError.Unsupported(
        s"Bringing a snapshot of $time ($why)",
        "Nothing was changed. A history can go into a new lake, and into one whose newest snapshot " +
          "is older than the history. Move the table without its history, or into a lake of its own.",
      )
    )
}

private object CommitTimes {
  private val First = SnapshotId(0)
}
