package ducklake.spark.job

import ducklake.spark.errors.SparkErrors
import ducklake.spark.errors.SparkErrors.inTask
import org.apache.spark.SparkContext

import scala.reflect.ClassTag
import scala.util.control.NonFatal

/** Work on many places in storage, divided among Spark tasks. */
private[spark] object ParallelJob {

  /** The results of all tasks, in no order.
    *
    * @param description of the job in Spark's UI
    * @param itemsPerTask the fewest items of each task when there are several tasks
    * @param meanwhile the action of an interrupted statement, for the message
    *
    * Errors: errors of tasks; StatementInterrupted.
    */
  def run[A: ClassTag, B](
      context: SparkContext,
      description: String,
      items: Vector[A],
      itemsPerTask: Int,
      meanwhile: String,
  )(task: Iterator[A] => Vector[B]): Vector[B] = {
    val most = math.max(1, context.defaultParallelism * TasksPerCore)
    val slices = math.max(1, math.min(items.size / itemsPerTask, most))
    val results = Vector.newBuilder[B]
    val take = (_: Int, some: Vector[B]) => { results ++= some; () }
    val guarded = (some: Iterator[A]) => inTask(task(some))
    val distributed = context.parallelize(items, slices)
    try
      AwaitedJob.run(context, description, meanwhile) {
        context.submitJob(distributed, guarded, 0 until slices, take, ())
      }
    catch { case NonFatal(failure) => throw SparkErrors.behind(failure).getOrElse(failure) }
    results.result()
  }

  private val TasksPerCore = 4
}
