package org.apache.spark.sql.execution.ducklake

import org.apache.spark.SparkEnv
import org.apache.spark.TaskContext
import org.apache.spark.executor.CommitDeniedException

/** What Scala lets only Spark's own packages ask and say of a task; in byte code it is public. */
object RunningTask {

  /** Whether the result of this attempt counts: Spark says so to one attempt at a partition only. */
  def mayCommit(task: TaskContext): Boolean =
    SparkEnv.get.outputCommitCoordinator.canCommit(
      task.stageId(),
      task.stageAttemptNumber(),
      task.partitionId(),
      task.attemptNumber(),
    )

  /** The failure of an attempt that came second, which Spark does not count among the failures. */
  def denied(task: TaskContext): Exception =
    new CommitDeniedException(
      s"Another attempt at partition ${task.partitionId()} of stage ${task.stageId()} was faster",
      task.stageId(),
      task.partitionId(),
      task.attemptNumber(),
    )

  /** Adds to what Spark's UI shows as the task's output. */
  def addOutput(task: TaskContext, records: Long, bytes: Long): Unit = {
    val output = task.taskMetrics().outputMetrics
    output.setRecordsWritten(output.recordsWritten + records)
    output.setBytesWritten(output.bytesWritten + bytes)
  }
}
