package ducklake.spark.sparkapi

import org.apache.spark.TaskContext
import org.apache.spark.sql.execution.ducklake.RunningTask

/** The attempt at a partition that runs on this thread. Spark may run several for one partition: after
  * a failure, or side by side when one is slow. On the driver there is none, and nothing is done.
  */
object TaskAttempt {

  private def current: Option[TaskContext] = Option(TaskContext.get())

  /** Runs `body` at the attempt's end when its result will not count: it failed, also after its work
    * was done, or it was killed.
    */
  def onLoss(body: => Unit): Unit =
    current.foreach(_.addTaskCompletionListener[Unit] { task =>
      if (task.isFailed() || task.isInterrupted()) body
    })

  /** Makes this attempt the only one at its partition whose result counts. The attempt fails when
    * another was faster.
    */
  def claim(): Unit =
    current.filterNot(RunningTask.mayCommit).foreach(task => throw RunningTask.denied(task))

  /** Tells Spark's UI what the attempt wrote. */
  def wrote(records: Long, bytes: Long): Unit =
    current.foreach(RunningTask.addOutput(_, records, bytes))
}
