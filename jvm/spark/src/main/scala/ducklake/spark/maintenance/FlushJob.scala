package ducklake.spark.maintenance

import ducklake.catalog.change.FlushedFile
import ducklake.catalog.error.LakeError
import ducklake.catalog.error.LakeException
import ducklake.catalog.read.RowVersion
import ducklake.spark.errors.DuckLakeTaskException
import ducklake.spark.errors.SparkErrors.inTask
import ducklake.spark.internal.TaskAttempt
import ducklake.spark.internal.WriteConf
import org.apache.spark.FutureAction
import org.apache.spark.SparkException
import org.apache.spark.broadcast.Broadcast
import org.apache.spark.sql.classic.SparkSession

import scala.concurrent.Await
import scala.concurrent.duration.Duration

/** Writes many versions of rows by Spark tasks. */
private[maintenance] object FlushJob {

  /** @param slices each becomes a task
    * @param taken is handed the files of each task that ended well, also when others fail; never after
    *   this method has ended
    *
    * Errors: UnwritableFile, InvalidValue, StatementInterrupted.
    */
  def run(
      session: SparkSession,
      spec: FlushSpec,
      slices: Vector[Vector[RowVersion]],
      taken: Vector[FlushedFile] => Unit,
  ): Unit = {
    val conf = WriteConf.broadcast(session)
    // Broadcast, for what goes with a task itself may not be large.
    val shipped = slices.map(session.sparkContext.broadcast(_))
    val write = (rows: Iterator[Broadcast[Vector[RowVersion]]]) =>
      inTask {
        val files =
          rows.toVector.flatMap(each => FlushWriter.write(spec, each.value, conf.value.value))
        TaskAttempt.claim()
        files
      }
    val distributed = session.sparkContext.parallelize(shipped, shipped.size)
    val take = (_: Int, files: Vector[FlushedFile]) => taken(files)
    val isDone =
      try hasEnded(session.sparkContext.submitJob(distributed, write, shipped.indices, take, ()))
      catch { case failure: SparkException => throw ours(failure) }
      finally (conf +: shipped).foreach(_.destroy())
    if (!isDone) {
      Thread.currentThread().interrupt()
      throw new LakeException(LakeError.StatementInterrupted("wrote files"))
    }
  }

  /** Waits for the job. False when the thread is interrupted: the job is cancelled then, so that no
    * task writes on once the files are deleted.
    */
  private def hasEnded(job: FutureAction[Unit]): Boolean =
    try {
      Await.result(job, Duration.Inf)
      true
    } catch {
      case _: InterruptedException =>
        job.cancel()
        Await.ready(job, Duration.Inf): Unit
        false
    }

  /** The error of the task that made the job fail, where it is one of ours. */
  private def ours(failure: SparkException): Throwable =
    Iterator
      .iterate(Option[Throwable](failure))(_.flatMap(cause => Option(cause.getCause)))
      .takeWhile(_.nonEmpty)
      .flatten
      .collectFirst { case task: DuckLakeTaskException =>
        new LakeException(task.error, Some(failure))
      }
      .getOrElse(failure)
}
