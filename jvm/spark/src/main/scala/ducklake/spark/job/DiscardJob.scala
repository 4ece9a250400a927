package ducklake.spark.job

import ducklake.files.io.FileRemoval
import ducklake.files.io.Storage
import org.apache.hadoop.conf.Configuration
import org.apache.spark.sql.classic.SparkSession
import org.slf4j.LoggerFactory

import scala.util.control.NonFatal

/** Deletes the files of a failed write: few of them on the driver, many of them in Spark tasks. A
  * statement that writes 20,000 files may leave eight times as many names, one for each attempt.
  */
private[spark] object DiscardJob {

  private val log = LoggerFactory.getLogger("ducklake.spark.job.DiscardJob")

  /** Up to this number of files, a Spark job would take longer than the files. */
  private val DriverFiles = 400

  private val FilesPerTask = 100

  /** Deletes the files, as `Storage.discard` does: no error is thrown, and the thread may be
    * interrupted, because that ended the statement. The driver deletes them itself when the tasks
    * cannot: when Spark has stopped, or the thread is interrupted while it waits for them.
    *
    * @param paths in Hadoop's form
    */
  def run(paths: Vector[String], conf: Configuration): Unit =
    if (paths.sizeIs <= DriverFiles) Storage.discard(paths, conf)
    else {
      val wasInterrupted = Thread.interrupted()
      try inTasks(paths, conf)
      catch {
        case NonFatal(failure) =>
          log.info("Tasks could not delete the files of a failed write; the driver does.", failure)
          Storage.discard(paths, conf)
      } finally if (wasInterrupted) Thread.currentThread().interrupt()
    }

  private def inTasks(paths: Vector[String], conf: Configuration): Unit = {
    val context = SparkSession.active.sparkContext
    val description = s"Removing the files of a failed write: ${paths.size} names"
    val job = new LakeJob(context, description, "deleted files", conf)
    val left = ParallelJob.run(job, paths, FilesPerTask) { (some, settings) =>
      FileRemoval.run(some.toVector, settings)
    }
    left.foreach(Storage.warnOf)
  }
}
