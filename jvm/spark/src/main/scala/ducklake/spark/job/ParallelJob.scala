package ducklake.spark.job

import ducklake.spark.errors.SparkErrors.ofTasks
import org.apache.hadoop.conf.Configuration

import scala.reflect.ClassTag

/** Work on many places in storage, divided among Spark tasks. */
private[spark] object ParallelJob {

  /** The results of all tasks.
    *
    * @param itemsPerTask the fewest items of each task when there are several tasks
    *
    * Errors: errors of tasks; StatementInterrupted.
    */
  def run[A: ClassTag, B](job: LakeJob, items: Vector[A], itemsPerTask: Int)(
      task: (Iterator[A], Configuration) => Vector[B]
  ): Vector[B] =
    ofTasks(job.collect(job.divided(items, itemsPerTask))(task)).flatten
}
