package ducklake.spark.sparkapi.task

import org.apache.spark.SparkContext
import org.apache.spark.TaskContext
import org.apache.spark.sql.execution.ducklake.RunningTask

/** The attempt at a partition that runs on this thread. Spark may run several attempts for one
  * partition: after a failure, or in parallel when an attempt is slow. On the driver there is no
  * attempt, and the methods do nothing.
  */
object TaskAttempt {

  private def current: Option[TaskContext] = Option(TaskContext.get())

  /** How many attempts at the partition began before. */
  def number: Int = current.fold(0)(_.attemptNumber())

  /** How many failed attempts at a partition make Spark give up the job. */
  def most(context: SparkContext): Int =
    if (context.isLocal) 1 else context.getConf.getInt("spark.task.maxFailures", 4)

  /** Runs `body` at the attempt's end when the attempt's result does not count, because the attempt
    * failed (possibly after its work was done) or was killed.
    */
  def onLoss(body: => Unit): Unit =
    current.foreach(_.addTaskCompletionListener[Unit] { task =>
      if (task.isFailed() || task.isInterrupted()) body
    })

  /** Makes this attempt the only attempt at its partition whose result counts. The attempt fails
    * when another attempt was faster.
    */
  def claim(): Unit =
    current.filterNot(RunningTask.mayCommit).foreach(task => throw RunningTask.denied(task))

  /** Adds the written rows and bytes of the attempt to the task's output in Spark's UI. */
  def wrote(records: Long, bytes: Long): Unit =
    current.foreach(RunningTask.addOutput(_, records, bytes))
}
