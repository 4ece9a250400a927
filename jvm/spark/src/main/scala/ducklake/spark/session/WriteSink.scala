package ducklake.spark.session

import ducklake.catalog.LakeSnapshot
import ducklake.catalog.change.operation.CommitOutcome
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

  /** Commits the operations after those of `before`. Deletes the files when the commit has
    * certainly made no snapshot.
    */
  def commit(
      lake: SessionLake,
      base: LakeSnapshot,
      before: Vector[Operation],
      info: StatementInfo,
  ): CommitOutcome = {
    val canBePlannedAgain = synchronized(writes.exists(_.plan.again.isDefined))
    val again = Option.when(canBePlannedAgain)(() => before ++ plannedAgain())
    val outcome = lake.commit(base, before ++ operations, info, again)
    outcome.ifNoSnapshot(discard())
    outcome
  }

  /** The operations, planned on the newest snapshot. Nothing is committed when that fails. */
  private def plannedAgain(): Vector[Operation] =
    try
      synchronized {
        // One after the other, so that the files of each are known when a later one fails.
        writes.indices.foreach { i =>
          val plan = writes(i).plan
          writes = writes.updated(i, writes(i).copy(plan = plan.again.fold(plan)(_())))
        }
        operations
      }
    catch {
      case failure: Throwable =>
        discard()
        throw failure
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
