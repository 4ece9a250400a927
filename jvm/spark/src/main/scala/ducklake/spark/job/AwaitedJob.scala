package ducklake.spark.job

import ducklake.catalog.error.LakeError
import ducklake.catalog.error.LakeException
import org.apache.spark.FutureAction
import org.apache.spark.SparkContext

import scala.concurrent.Await
import scala.concurrent.duration.Duration

/** Jobs that our own code on the driver starts, in a thread that may be interrupted. */
private[spark] object AwaitedJob {
  private val Description = "spark.job.description"

  /** The result of a job, which has a description in Spark's UI.
    *
    * @param description what the job does, and for which table or lake
    * @param meanwhile the action of an interrupted statement, for the message
    * @param submitted starts the job
    *
    * Errors: StatementInterrupted, and errors of tasks. The thread's interrupted flag is then set.
    * No task continues.
    */
  def run[A](context: SparkContext, description: String, meanwhile: String)(
      submitted: => FutureAction[A]
  ): A = {
    val before = context.getLocalProperty(Description)
    context.setLocalProperty(Description, description)
    val job =
      try submitted
      finally context.setLocalProperty(Description, before)
    result(job).getOrElse {
      Thread.currentThread().interrupt()
      throw new LakeException(LakeError.StatementInterrupted(meanwhile))
    }
  }

  /** The job's result; None when the thread was interrupted. An interrupt also clears the thread's
    * interrupted flag and cancels the job. The method then waits for the job's end, so that no task
    * continues.
    */
  private def result[A](job: FutureAction[A]): Option[A] =
    try Some(Await.result(job, Duration.Inf))
    catch {
      case _: InterruptedException =>
        job.cancel()
        Await.ready(job, Duration.Inf): Unit
        None
    }
}
