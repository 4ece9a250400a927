package ducklake.spark.errors

import org.apache.spark.SparkThrowable
import org.apache.spark.sql.classic.SparkSession

import scala.util.control.NonFatal

/** The failure of one table or step of a call that goes on with the others. Matches no failure that
  * ends the whole call: an interrupt, a job that somebody cancelled, and the end of Spark.
  */
object PartFailure {

  /** The cause to tell: our own error behind the failure where there is one. */
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
