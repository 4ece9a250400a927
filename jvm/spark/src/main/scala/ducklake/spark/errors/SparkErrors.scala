package ducklake.spark.errors

import ducklake.catalog.error.LakeError
import ducklake.catalog.error.LakeException
import org.apache.spark.QueryContext
import org.apache.spark.SparkThrowable
import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.catalyst.trees.Origin
import org.apache.spark.sql.execution.QueryExecutionException

import scala.jdk.CollectionConverters.MapHasAsJava
import scala.util.control.NonFatal

/** A [[LakeError]] on the driver, in the form in which Spark reports errors of a statement. */
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

  /** Returns this exception unchanged. Spark's own method would make a plain AnalysisException and
    * look the condition up in Spark's list.
    */
  override def withPosition(origin: Origin): AnalysisException = this
}

/** A [[LakeError]] in a task. PySpark knows the superclass, so Python programs see the condition
  * too.
  */
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

/** Translates our errors to the exceptions that Spark expects. No other code translates them. */
object SparkErrors {

  /** Runs `body` on the driver and translates its errors. */
  def onDriver[A](body: => A): A =
    try body
    catch { case e: LakeException => throw new DuckLakeException(e.error, e) }

  /** Runs `body` in a task and translates its errors. */
  def inTask[A](body: => A): A =
    try body
    catch { case e: LakeException => throw new DuckLakeTaskException(e.error, e) }

  /** Throws the exception of a task. For code that Spark itself calls for a value in the middle of
    * a task.
    */
  def failTask(error: LakeError): Nothing =
    throw new DuckLakeTaskException(error, new LakeException(error))

  /** Our error that caused a failure of the driver, or of the task that made a job fail; None for
    * other causes.
    */
  def behind(failure: Throwable): Option[LakeException] =
    Iterator
      .iterate(Option(failure))(_.flatMap(cause => Option(cause.getCause)))
      .takeWhile(_.nonEmpty)
      .flatten
      .collectFirst {
        case known: LakeException => known
        case task: DuckLakeTaskException => new LakeException(task.error, Some(failure))
      }

  /** Runs a job on the driver. When a task failed by an error of ours, that error is thrown instead
    * of Spark's exception.
    */
  def ofTasks[A](job: => A): A =
    try job
    catch { case NonFatal(failure) => throw behind(failure).getOrElse(failure) }

  /** Throws the error; [[onDriver]] or [[inTask]] translates it. */
  def raise(error: LakeError): Nothing = throw new LakeException(error)
}
