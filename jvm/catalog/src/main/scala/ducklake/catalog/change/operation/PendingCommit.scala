package ducklake.catalog.change.operation

import ducklake.catalog.model.LakeTable
import ducklake.catalog.model.Snapshot
import ducklake.catalog.types.DataFileId
import ducklake.catalog.types.DeleteFileId
import ducklake.catalog.types.PartitionId
import ducklake.catalog.types.SchemaId
import ducklake.catalog.types.TableId

import java.time.Instant
import java.util.UUID

/** The operations of a statement that is to be committed.
  *
  * @param base the snapshot that the statement read; the commit checks for conflicts with all later
  *   snapshots
  * @param inliningRowLimit the limit from the catalog settings, used when no stored option has a
  *   limit
  * @param replan plans the operations again on the newest snapshot, when others have deleted rows
  *   of the same files since they were planned. None when that cannot be done. Fails with
  *   CommitConflict when others have deleted the same rows
  * @param time of the snapshot, which must be later than the newest one; None: the time of the commit
  * @param later further commits of the same transaction, each on the snapshot of the one before: a
  *   reader sees the snapshots of all or none. Those that change nothing make no snapshot
  */
final case class PendingCommit(
    base: Snapshot,
    operations: Vector[Operation],
    info: CommitInfo,
    inliningRowLimit: Long,
    replan: Option[() => Vector[Operation]] = None,
    time: Option[Instant] = None,
    later: Vector[LaterCommit] = Vector.empty,
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

/** A commit that follows another one in the same transaction.
  *
  * @param time as in [[PendingCommit]]
  * @param operations given the ids of what the commits before it have made
  */
final case class LaterCommit(
    time: Option[Instant],
    info: CommitInfo,
    operations: MadeIds => Vector[Operation],
) {

  /** @param base the snapshot of the commit before
    * @param first the first commit of the transaction
    */
  def on(base: Snapshot, made: MadeIds, first: PendingCommit): PendingCommit =
    PendingCommit(base, operations(made), info, first.inliningRowLimit, time = time)
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

/** The ids of what a commit has made. Later commits of the same transaction name it by them.
  *
  * @param tables by their uuids
  * @param files data files that were registered, by their paths as the catalog has them
  * @param deletes the newest delete files, by their data files
  */
final case class MadeIds(
    tables: Map[UUID, MadeTable],
    files: Map[String, DataFileId],
    deletes: Map[DataFileId, DeleteFileId],
) {

  /** These ids and those of a later commit. */
  def and(later: MadeIds): MadeIds =
    MadeIds(tables ++ later.tables, files ++ later.files, deletes ++ later.deletes)
}

object MadeIds {
  val none: MadeIds = MadeIds(Map.empty, Map.empty, Map.empty)
}

/** @param partition of its partition keys, when it has some */
final case class MadeTable(id: TableId, partition: Option[PartitionId])
