package ducklake.spark.errors

import org.apache.spark.SparkThrowable
import org.apache.spark.sql.classic.SparkSession

import scala.util.control.NonFatal

/** The failure of one table or step in a call that continues with the others. Does not match
  * failures that end the whole call: an interrupt, a cancelled job, and the end of Spark.
  */
object PartFailure {

  /** The cause to report: our own error behind the failure, if there is one. */
  def unapply(failure: Throwable): Option[Throwable] = failure match {
    case NonFatal(cause) if !endsCall(cause) => Some(SparkErrors.behind(cause).getOrElse(cause))
    case _ => None
  }

  private def endsCall(failure: Throwable): Boolean =
    Thread.currentThread().isInterrupted || isCancelled(failure) ||
      SparkSession.getActiveSession.exists(_.sparkContext.isStopped)

  private def isCancelled(failure: Throwable): Boolean =
    Iterator
      .iterate(Option(failure))(_.flatMap(cause => Option(cause.getCause)))
      .takeWhile(_.nonEmpty)
      .flatten
      .exists {
        case known: SparkThrowable => known.getCondition == Cancelled
        case _ => false
      }

  private val Cancelled = "SPARK_JOB_CANCELLED"
}
