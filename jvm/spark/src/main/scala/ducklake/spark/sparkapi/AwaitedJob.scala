package ducklake.spark.sparkapi

import ducklake.catalog.error.LakeError
import ducklake.catalog.error.LakeException
import org.apache.spark.FutureAction

import scala.concurrent.Await
import scala.concurrent.duration.Duration

/** Waits for jobs that our own code on the driver starts, in a thread that may be interrupted. */
private[spark] object AwaitedJob {

  /** The job's result; None when the thread was interrupted. An interrupt also clears the thread's
    * interrupted flag and cancels the job. The method then waits for the job's end, so that no task
    * continues.
    */
  def result[A](job: FutureAction[A]): Option[A] =
    try Some(Await.result(job, Duration.Inf))
    catch {
      case _: InterruptedException =>
        job.cancel()
        Await.ready(job, Duration.Inf): Unit
        None
    }

  /** Sets the thread's interrupted flag again and throws StatementInterrupted. */
  def interrupted(meanwhile: String): Nothing = {
    Thread.currentThread().interrupt()
    throw new LakeException(LakeError.StatementInterrupted(meanwhile))
  }
}
