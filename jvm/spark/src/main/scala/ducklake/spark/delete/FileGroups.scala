package ducklake.spark.delete

import ducklake.spark.errors.SparkErrors.inTask
import ducklake.spark.job.AwaitedJob
import ducklake.spark.job.Broadcasts
import ducklake.spark.sparkapi.task.TaskAttempt
import ducklake.spark.sparkapi.task.TaskHadoopConf
import org.apache.hadoop.conf.Configuration
import org.apache.spark.sql.classic.SparkSession

import scala.reflect.ClassTag

/** Writes delete files for many data files in Spark tasks, a group of files in each. */
private[spark] object FileGroups {

  /** Up to this number of files, a Spark job would take longer than the files. */
  val DriverFiles = 8

  private val GroupFiles = 64
  private val GroupBytes = 512 * 1024

  /** The groups of files for the tasks: each has a bounded number of files, and of bytes that
    * travel with it.
    *
    * @param files at least one
    * @param bytes of the positions of a file
    */
  def of[A](files: Vector[A])(bytes: A => Int): Vector[Vector[A]] = {
    val (full, last, _) =
      files.foldLeft((Vector.empty[Vector[A]], Vector.empty[A], 0)) {
        case ((groups, group, size), each) =>
          val more = bytes(each)
          if (group.isEmpty || (group.sizeIs < GroupFiles && size + more <= GroupBytes))
            (groups, group :+ each, size + more)
          else (groups :+ group, Vector(each), more)
      }
    full :+ last
  }

  /** Runs the tasks and waits for all of them.
    *
    * @param description of the job
    * @param taken gets the results of each task that succeeded, also when others fail
    * @param write makes the result of a file, in a task
    *
    * Errors: StatementInterrupted; errors of tasks are Spark's exceptions, with our error as their
    * cause.
    */
  def run[A, B](
      groups: Vector[Vector[A]],
      conf: Configuration,
      description: String,
      taken: Vector[B] => Unit,
  )(write: (A, Configuration) => B)(implicit tag: ClassTag[Vector[A]]): Unit = {
    val context = SparkSession.active.sparkContext
    val settings = TaskHadoopConf.broadcast(context, conf)
    val work = (some: Iterator[Vector[A]]) =>
      inTask {
        val written = some.flatten.map(write(_, settings.value.value)).toVector
        TaskAttempt.claim()
        written
      }
    val distributed = context.parallelize(groups, groups.size)
    val take = (_: Int, results: Vector[B]) => taken(results)
    try
      AwaitedJob.run(context, description, "wrote delete files") {
        context.submitJob(distributed, work, groups.indices, take, ())
      }
    finally Broadcasts.remove(settings)
  }
}
