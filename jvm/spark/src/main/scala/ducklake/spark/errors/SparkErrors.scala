package ducklake.spark.errors

import ducklake.catalog.error.LakeError
import ducklake.catalog.error.LakeException
import org.apache.spark.QueryContext
import org.apache.spark.SparkThrowable
import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.catalyst.trees.Origin
import org.apache.spark.sql.execution.QueryExecutionException

import scala.jdk.CollectionConverters.MapHasAsJava

/** A [[LakeError]] on the driver, as Spark's users know errors of a statement. */
final class DuckLakeException(val error: LakeError, cause: Throwable)
    extends AnalysisException(
      s"[${error.condition}] ${error.message} SQLSTATE: ${error.sqlState}",
      None,
      None,
      Option(cause),
      Some(error.condition),
      error.parameters,
      Array.empty[QueryContext],
    ) {
  override def getSqlState: String = error.sqlState

  /** Spark would make a plain exception of it, and look its condition up among its own. */
  override def withPosition(origin: Origin): AnalysisException = this
}

/** A [[LakeError]] in a task; PySpark knows this class, so that Python sees the condition too. */
final class DuckLakeTaskException(val error: LakeError, cause: Throwable)
    extends QueryExecutionException(
      s"[${error.condition}] ${error.message} SQLSTATE: ${error.sqlState}",
      cause,
    )
    with SparkThrowable {
  override def getCondition: String = error.condition
  override def getErrorClass: String = error.condition
  override def getSqlState: String = error.sqlState
  override def getMessageParameters: java.util.Map[String, String] = error.parameters.asJava
}

/** The one translation of our errors to what Spark expects. */
object SparkErrors {

  /** Runs `body` on the driver. */
  def onDriver[A](body: => A): A =
    try body
    catch { case e: LakeException => throw new DuckLakeException(e.error, e) }

  /** Runs `body` in a task. */
  def inTask[A](body: => A): A =
    try body
    catch { case e: LakeException => throw new DuckLakeTaskException(e.error, e) }

  /** In the midst of a task, where Spark's own code asks for a value. */
  def failTask(error: LakeError): Nothing =
    throw new DuckLakeTaskException(error, new LakeException(error))

  /** The error of ours that lies behind a failure of the driver, or of the task that made a job fail. */
  def behind(failure: Throwable): Option[LakeException] =
    Iterator
      .iterate(Option(failure))(_.flatMap(cause => Option(cause.getCause)))
      .takeWhile(_.nonEmpty)
      .flatten
      .collectFirst {
        case known: LakeException => known
        case task: DuckLakeTaskException => new LakeException(task.error, Some(failure))
      }

  def raise(error: LakeError): Nothing = throw new LakeException(error)
}
