package ducklake.spark.sparkapi

import ducklake.catalog.error.LakeError
import ducklake.catalog.error.LakeException
import org.apache.spark.FutureAction

import scala.concurrent.Await
import scala.concurrent.duration.Duration

/** Waits for jobs that the driver starts itself, in a thread that may be interrupted. */
private[spark] object AwaitedJob {

  /** The job's result; None when the thread was interrupted, whose mark is gone then. The job is cancelled
    * in this case, and ends before this method does, so that no task works on.
    */
  def result[A](job: FutureAction[A]): Option[A] =
    try Some(Await.result(job, Duration.Inf))
    catch {
      case _: InterruptedException =>
        job.cancel()
        Await.ready(job, Duration.Inf): Unit
        None
    }

  /** Throws StatementInterrupted, and marks the thread as interrupted again. */
  def interrupted(meanwhile: String): Nothing = {
    Thread.currentThread().interrupt()
    throw new LakeException(LakeError.StatementInterrupted(meanwhile))
  }
}
