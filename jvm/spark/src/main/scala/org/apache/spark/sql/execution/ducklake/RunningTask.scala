package org.apache.spark.sql.execution.ducklake

import org.apache.spark.SparkEnv
import org.apache.spark.TaskContext
import org.apache.spark.executor.CommitDeniedException

/** Calls about a running task that Scala allows only in Spark's own packages; in byte code the
  * methods are public.
  */
object RunningTask {

  /** Whether the result of this attempt counts. Spark allows this to only one attempt at a
    * partition.
    */
  def mayCommit(task: TaskContext): Boolean =
    SparkEnv.get.outputCommitCoordinator.canCommit(
      task.stageId(),
      task.stageAttemptNumber(),
      task.partitionId(),
      task.attemptNumber(),
    )

  /** The exception of an attempt that finished second. Spark does not count it as a failure. */
  def denied(task: TaskContext): Exception =
    new CommitDeniedException(
      s"Another attempt at partition ${task.partitionId()} of stage ${task.stageId()} was faster",
      task.stageId(),
      task.partitionId(),
      task.attemptNumber(),
    )

  /** Adds to the task's output that Spark's UI shows. */
  def addOutput(task: TaskContext, records: Long, bytes: Long): Unit = {
    val output = task.taskMetrics().outputMetrics
    output.setRecordsWritten(output.recordsWritten + records)
    output.setBytesWritten(output.bytesWritten + bytes)
  }
}
