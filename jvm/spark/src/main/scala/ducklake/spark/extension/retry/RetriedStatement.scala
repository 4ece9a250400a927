package ducklake.spark.extension.retry

import ducklake.catalog.error.LakeError
import ducklake.spark.errors.SparkErrors
import org.apache.spark.sql.Row
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.classic
import org.apache.spark.sql.execution.command.LeafRunnableCommand
import org.slf4j.LoggerFactory

import scala.annotation.tailrec

/** Runs a statement as if a user had typed it, and again after a conflict, which leaves nothing
  * committed. Each run analyses the statement again, and reads its tables at the newest snapshot.
  *
  * @param statement as it was parsed
  * @param retries how often it runs again
  */
private[retry] final case class RetriedStatement(statement: LogicalPlan, retries: Int)
    extends LeafRunnableCommand {

  override def run(session: SparkSession): Seq[Row] = session match {
    case known: classic.SparkSession =>
      attempt(known, done = 0)
      Seq.empty
    case other => throw new IllegalStateException(s"unexpected session ${other.getClass}")
  }

  @tailrec
  private def attempt(session: classic.SparkSession, done: Int): Unit =
    if (!isDone(session, isLast = done == retries)) attempt(session, done + 1)

  /** False after a conflict. The error of the last run is thrown. */
  private def isDone(session: classic.SparkSession, isLast: Boolean): Boolean =
    try {
      session.sessionState.executePlan(statement).assertCommandExecuted()
      true
    } catch {
      case failure: Exception if !isLast && isConflict(failure) =>
        RetriedStatement.log.warn("The statement runs again: {}", failure.getMessage)
        false
    }

  private def isConflict(failure: Exception): Boolean =
    SparkErrors
      .behind(failure)
      .exists(_.error match {
        case _: LakeError.CommitConflict => true
        case _ => false
      })
}

private object RetriedStatement {
  private val log = LoggerFactory.getLogger(classOf[RetriedStatement])
}
