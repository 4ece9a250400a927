package ducklake.spark.session

import ducklake.catalog.LakeSnapshot
import ducklake.catalog.change.CommitInfo
import ducklake.catalog.change.Operation
import ducklake.catalog.commit.CommitOutcome
import ducklake.catalog.model.SnapshotId

/** A lake as one statement sees it that writes: pinned to the snapshot of the statement's begin, with
  * the changes of shape that the statement itself has made; nothing is committed before the end.
  */
final class TransactionalLake(registered: SessionLake)
    extends SessionLake(registered.config, registered.timeRule) {

  /** None while there is no lake yet. */
  private lazy val seen: Option[LakeSnapshot] =
    registered.current().map(_ => registered.writable())

  private val work = new StagedWork

  // Filled on the driver's thread, as Spark analyses and runs the statement.
  private var shapes: Vector[Operation.AlterTable] = Vector.empty
  private var isEnded = false

  override def current(): Option[LakeSnapshot] = seen.map(new AlteredSnapshot(_, shapes))

  private[spark] override def tellAbsence(): Unit = registered.tellAbsence()

  override def writable(): LakeSnapshot =
    current().getOrElse(registered.writable())

  override def sink: WriteSink = WriteSink.Staged(work)

  /** For what Spark does not end by the transaction's commit: CREATE TABLE AS SELECT. */
  override def immediate: SessionLake = registered

  override def lastCommitted: Option[SnapshotId] = registered.lastCommitted

  override def announce(info: CommitInfo): Unit = registered.announce(info)

  override def commitInfo(options: Map[String, String]): CommitInfo =
    registered.commitInfo(options)

  override def commit(
      base: LakeSnapshot,
      operations: Vector[Operation],
      info: CommitInfo,
  ): CommitOutcome = {
    operations.foreach {
      case alter: Operation.AlterTable => stage(alter)
      case other =>
        throw new IllegalStateException(s"${other.getClass.getSimpleName} within a statement")
    }
    CommitOutcome.Staged(base.snapshot)
  }

  /** A table is altered once in a commit: from what it was to what it is in the end. */
  private def stage(alter: Operation.AlterTable): Unit = {
    val (same, others) = shapes.partition(_.table.id == alter.table.id)
    shapes = others :+ same.headOption.fold(alter)(first => alter.copy(table = first.table))
  }

  /** Makes the snapshot, if there is anything to make. Errors: those of a commit. */
  def finish(): Unit = {
    isEnded = true
    val operations = shapes ++ work.operations
    seen.filter(_ => operations.nonEmpty).foreach { base =>
      val outcome = registered.commit(base, operations, commitInfo(work.options))
      outcome match {
        case CommitOutcome.Failed(_) => work.discard()
        case CommitOutcome.Committed(_) | CommitOutcome.Staged(_) | CommitOutcome.Unknown(_) => ()
      }
      outcome.orThrow: Unit
    }
  }

  /** Forgets all, with the files behind it. Does nothing when the end has come already. */
  def discard(): Unit =
    if (!isEnded) {
      isEnded = true
      work.discard()
    }
}
