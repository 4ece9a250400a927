package ducklake.catalog.change.operation

import ducklake.catalog.model.LakeTable
import ducklake.catalog.model.Snapshot
import ducklake.catalog.types.SchemaId

/** The operations of a statement that is to be committed.
  *
  * @param base the snapshot that the statement read; the commit checks for conflicts with all later
  *   snapshots
  * @param inliningRowLimit the limit from the catalog settings, used when no stored option has a
  *   limit
  * @param replan plans the operations again on the newest snapshot, when others have deleted rows
  *   of the same files since they were planned. None when that cannot be done. Fails with
  *   CommitConflict when others have deleted the same rows
  */
final case class PendingCommit(
    base: Snapshot,
    operations: Vector[Operation],
    info: CommitInfo,
    inliningRowLimit: Long,
    replan: Option[() => Vector[Operation]] = None,
) {

  /** The existing tables that the operations change or check, each once. */
  def tables: Vector[LakeTable] = operations.flatMap(_.existing).distinctBy(_.id)

  /** The schemas in which the operations create tables. */
  def createsIn: Set[SchemaId] = operations.flatMap(_.createsIn).toSet

  /** Computes everything that does not depend on the newest snapshot, before the transaction
    * begins.
    */
  def prepare(): Unit = operations.foreach(_.prepare())
}

/** Free text that is stored with a snapshot. */
final case class CommitInfo(
    author: Option[String],
    message: Option[String],
    extraInfo: Option[String],
) {

  /** This commit info, its missing parts taken from the other. */
  def orElse(other: CommitInfo): CommitInfo =
    CommitInfo(
      author.orElse(other.author),
      message.orElse(other.message),
      extraInfo.orElse(other.extraInfo),
    )
}

object CommitInfo {
  val none: CommitInfo = CommitInfo(None, None, None)
}
