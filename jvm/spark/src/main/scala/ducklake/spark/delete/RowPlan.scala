package ducklake.spark.delete

import ducklake.catalog.LakeSnapshot
import ducklake.catalog.change.operation.Operation
import ducklake.spark.session.SessionLake
import ducklake.spark.session.WritePlan
import ducklake.spark.session.WrittenFiles

/** Plans a write that depends on the rows of its table. Its deletes are merged with deletes that
  * others have committed since the statement began; the rows that it has read are compared with the
  * newest snapshot. Both happen again when others commit between the plan and the commit (decision
  * 25).
  *
  * @param base the snapshot that the statement has read
  * @param deletes the rows to delete, if any
  * @param read the rows that a serializable statement has read; None: they do not matter
  * @param noted is called with the new delete files before a later step can fail
  */
final class RowPlan(
    session: SessionLake,
    base: LakeSnapshot,
    deletes: Option[(DeleteOperationBuilder, RowsToDelete)],
    read: Option[ReadRows],
    noted: WrittenFiles => Unit,
) {

  /** @param assembled the operations of the write around the deletes
    * @param others the files of these operations
    *
    * Errors: CommitConflict when others have deleted or changed the same rows, or rows that the
    * write has read.
    */
  def write(
      assembled: Option[Operation] => Vector[Operation],
      others: WrittenFiles,
  ): WritePlan =
    if (base.uncommitted.isDefined) inTransaction(assembled, others)
    else onNewest(assembled, others)

  /** The plan of a statement within a transaction. It names the deleted rows and writes no delete
    * file, and it does not compare what a serializable statement has read: the commit of the
    * transaction does that, for all its statements.
    */
  private def inTransaction(
      assembled: Option[Operation] => Vector[Operation],
      others: WrittenFiles,
  ): WritePlan = {
    val deletion = deletes.map { case (removal, removed) => removal.unwritten(removed) }
    WritePlan.fixed(assembled(deletion) ++ read.map(_.seen(base)), others)
  }

  private def onNewest(
      assembled: Option[Operation] => Vector[Operation],
      others: WrittenFiles,
  ): WritePlan = {
    // When files are gone, such as after a drop of the table, the commit finds the reason.
    val head = Some(newest).filter { at =>
      at.snapshot.id.value > base.snapshot.id.value &&
      deletes.forall { case (removal, removed) => removal.hasAllFiles(at, removed) }
    }
    plan(head.getOrElse(base), assembled, others)
  }

  private def newest: LakeSnapshot = session.lake.newest().getOrElse(base)

  private def plan(
      head: LakeSnapshot,
      assembled: Option[Operation] => Vector[Operation],
      others: WrittenFiles,
  ): WritePlan = {
    read.foreach(_.check(head))
    val (operation, files) = deletes match {
      case None => (None, WrittenFiles(Vector.empty))
      case Some((removal, removed)) =>
        val (operation, files) = removal.write(removed, head)
        (Some(operation), files)
    }
    noted(files)
    val again = () => {
      files.delete(session.config.hadoop)
      plan(newest, assembled, others)
    }
    WritePlan(
      assembled(operation) ++ read.map(_.seen(head)),
      WrittenFiles(others.paths ++ files.paths),
      Option.when(deletes.isDefined || read.isDefined)(again),
    )
  }
}
