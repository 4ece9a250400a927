package ducklake.spark.session

import ducklake.catalog.change.operation.Operation
import ducklake.catalog.change.operation.StreamEpoch
import ducklake.spark.config.HadoopSettings

/** How the operations of a write are committed after all its tasks have succeeded. */
sealed trait WriteSink

object WriteSink {

  /** The write has its own commit. */
  case object CommitNow extends WriteSink

  /** The write has its own commit, which also records the epoch of the table. When the table
    * already has the epoch, nothing is committed.
    */
  final case class CommitOnce(epoch: StreamEpoch) extends WriteSink

  /** The write becomes part of another commit. */
  final case class Staged(work: StagedWork) extends WriteSink
}

/** Operations that wait for the commit of their statement, with their files. */
final class StagedWork {

  // Filled by the writes, on the driver, before the statement's commit.
  private var writes: Vector[StagedWrite] = Vector.empty

  private[spark] def add(write: StagedWrite): Unit = synchronized {
    writes = writes :+ write
  }

  /** The operations, in the order in which the writes ended. */
  def operations: Vector[Operation] = synchronized(writes.flatMap(_.plan.operations))

  /** Whether the writes can be planned again on the newest snapshot. */
  def canBePlannedAgain: Boolean = synchronized(writes.exists(_.plan.again.isDefined))

  /** Plans the writes again. Errors: the errors of the plans. */
  def planAgain(): Unit = synchronized {
    writes = writes.map(write => write.copy(plan = write.plan.again.fold(write.plan)(_())))
  }

  /** The options of all writes. */
  def options: Map[String, String] = synchronized(writes.flatMap(_.options).toMap)

  /** Deletes the files. To be called only when the commit certainly did not happen. */
  def discard(): Unit = synchronized {
    writes.foreach(write => write.plan.files.delete(write.hadoop))
    writes = Vector.empty
  }
}

/** One write with its options.
  *
  * @param hadoop settings with which the files are opened
  */
private[spark] final case class StagedWrite(
    plan: WritePlan,
    options: Map[String, String],
    hadoop: HadoopSettings,
)
