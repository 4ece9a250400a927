package ducklake.spark.job

import ducklake.spark.errors.SparkErrors.inTask
import ducklake.spark.sparkapi.task.TaskAttempt
import ducklake.spark.sparkapi.task.TaskHadoopConf
import org.apache.hadoop.conf.Configuration
import org.apache.spark.SparkContext
import org.apache.spark.rdd.RDD

import scala.reflect.ClassTag

/** A Spark job that the connector itself starts on the driver, and waits for.
  *
  * Tasks get Hadoop's settings, which travel to each executor once and are removed at the job's
  * end. When the thread is interrupted, the job is cancelled, and no task continues. When a task
  * fails for good, Spark may finish other tasks that have begun.
  *
  * Errors: StatementInterrupted; the thread's interrupted flag is then set. Errors of tasks are
  * Spark's exceptions, with our error as their cause; `SparkErrors.ofTasks` finds it.
  *
  * @param description what the job does, and for which table or lake; for Spark's UI
  * @param meanwhile the action of an interrupted statement, for the message
  * @param conf Hadoop's settings
  */
private[spark] final class LakeJob(
    context: SparkContext,
    description: String,
    meanwhile: String,
    conf: Configuration,
) {

  /** The inputs with a task for each of them.
    *
    * @param inputs at least one
    */
  def oneEach[A: ClassTag](inputs: Vector[A]): RDD[A] = context.parallelize(inputs, inputs.size)

  /** The inputs divided among tasks. There are more tasks than cores, so that a core with slow
    * inputs does not delay the other inputs of its share.
    *
    * @param inputsPerTask the fewest inputs of each task when there are several tasks
    */
  def divided[A: ClassTag](inputs: Vector[A], inputsPerTask: Int): RDD[A] = {
    val most = math.max(1, context.defaultParallelism * LakeJob.TasksPerCore)
    context.parallelize(inputs, math.max(1, math.min(inputs.size / inputsPerTask, most)))
  }

  /** The results of all tasks, in the order of their inputs. For tasks that write no files: several
    * attempts at a task may end well.
    */
  def collect[A, B](inputs: RDD[A])(task: (Iterator[A], Configuration) => B): Vector[B] = {
    val results = Vector.newBuilder[(Int, B)]
    val take = (index: Int, result: B) => { results += ((index, result)); () }
    run(inputs, task, take)
    results.result().sortBy(_._1).map(_._2)
  }

  /** Runs tasks that write files. Only one attempt at each task ends well; the others fail, so that
    * `TaskAttempt.onLoss` removes their files.
    *
    * @param taken gets the result of each task that succeeded, also when others fail. It is never
    *   called after this method has ended
    */
  def write[A, B](inputs: RDD[A], taken: B => Unit)(
      task: (Iterator[A], Configuration) => B
  ): Unit = {
    val claimed = (some: Iterator[A], settings: Configuration) => {
      val result = task(some, settings)
      TaskAttempt.claim()
      result
    }
    run(inputs, claimed, (_: Int, result: B) => taken(result))
  }

  private def run[A, B](
      inputs: RDD[A],
      task: (Iterator[A], Configuration) => B,
      take: (Int, B) => Unit,
  ): Unit = {
    val settings = TaskHadoopConf.broadcast(context, conf)
    val guarded = (some: Iterator[A]) => inTask(task(some, settings.value.value))
    try
      AwaitedJob.run(context, description, meanwhile) {
        context.submitJob(inputs, guarded, inputs.partitions.indices, take, ())
      }
    finally Broadcasts.remove(settings)
  }
}

private object LakeJob {
  private val TasksPerCore = 4
}
