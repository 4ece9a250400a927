package ducklake.spark.session

import ducklake.catalog.LakeSnapshot
import ducklake.catalog.change.operation.CommitInfo
import ducklake.catalog.change.operation.CommitOutcome
import ducklake.catalog.change.operation.Operation
import ducklake.catalog.types.SnapshotId

/** A lake as one writing statement sees it. It is pinned to the snapshot at which the statement
  * began, and has the table changes of the statement itself. Nothing is committed before the
  * statement ends.
  */
final class TransactionalLake(registered: SessionLake)
    extends SessionLake(registered.config, registered.timeRule) {

  /** The snapshot at which the statement began; None when there is no lake yet. */
  private lazy val begin: Option[LakeSnapshot] =
    registered.current().map(_ => registered.base())

  private val work = new StagedWork

  // Filled on the driver's thread while Spark analyses and runs the statement.
  private var changes: Vector[Operation.AlterTable] = Vector.empty
  private var isEnded = false

  override def current(): Option[LakeSnapshot] =
    begin.map(_.seenThrough(new PendingColumns(changes)))

  private[spark] override def warnOfAbsence(): Unit = registered.warnOfAbsence()

  override def base(): LakeSnapshot =
    current().getOrElse(registered.base())

  /** Whether the statement would read the same rows of the table: `table` is at a snapshot that the
    * query names, or has not changed since its snapshot.
    */
  def sees(table: TableAtSnapshot): Boolean =
    table.isPast || current().exists { now =>
      now
        .table(table.table.schema.path, table.table.name)
        .exists(new TableAtSnapshot(this, now, _) == table)
    }

  override def transaction: SessionTransaction = registered.transaction

  override def sink: WriteSink = WriteSink.Staged(work)

  /** The lake for statements whose transaction Spark does not commit, such as CREATE TABLE AS
    * SELECT.
    */
  override def immediate: SessionLake = registered

  override def lastCommitted: Option[SnapshotId] = registered.lastCommitted

  override def announce(info: CommitInfo): Unit = registered.announce(info)

  private[session] override def completed(info: StatementInfo): CommitInfoInForce =
    registered.completed(info)

  override def commit(
      base: LakeSnapshot,
      operations: Vector[Operation],
      info: CommitInfoInForce,
      again: Option[() => Vector[Operation]],
  ): CommitOutcome = {
    operations.foreach {
      case alter: Operation.AlterTable => stage(alter)
      case other =>
        throw new IllegalStateException(s"${other.getClass.getSimpleName} within a statement")
    }
    CommitOutcome.Staged(base.snapshot)
  }

  /** Adds the change of a table. A commit alters a table once, so several changes become one
    * change, from the first definition to the last.
    */
  private def stage(alter: Operation.AlterTable): Unit = {
    val (same, others) = changes.partition(_.table.id == alter.table.id)
    changes = others :+ same.headOption.fold(alter)(first => alter.copy(table = first.table))
  }

  /** Commits the operations of the statement, if there are any. Errors: the errors of a commit. */
  def finish(): Unit = {
    isEnded = true
    val operations = changes ++ work.operations
    begin.filter(_ => operations.nonEmpty).foreach { base =>
      work.commit(registered, base, changes, StatementInfo.of(work.options)).orThrow: Unit
    }
  }

  /** Drops the operations and deletes their files. Does nothing when the transaction has ended. */
  def discard(): Unit =
    if (!isEnded) {
      isEnded = true
      work.discard()
    }
}
