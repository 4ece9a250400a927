package ducklake.catalog.change.plan

import ducklake.catalog.model.DataFile
import ducklake.catalog.model.RowVisibility
import ducklake.catalog.types.DataFileId

/** The differences between the data files of a table and the files that give it the rows of a past
  * snapshot.
  *
  * @param ended files that only the present has
  * @param copied files that only the past has and whose rows all come back
  * @param rewritten other files that only the past has; their visible rows are written again
  * @param compared files that both have and whose visible rows may differ: their deleted positions
  *   have to be read
  */
final case class FileDifference(
    ended: Vector[DataFile],
    copied: Vector[DataFile],
    rewritten: Vector[DataFile],
    compared: Vector[FilePair],
)

/** One data file as two snapshots see it. */
final case class FilePair(past: DataFile, present: DataFile)

object FileDifference {

  /** @param past the files at the past snapshot
    * @param present the files at the base of the rollback
    * @param withSnapshots files that have the snapshot of each row inside. A copy of such a file
    *   would show its rows in the change feed of the old snapshots a second time.
    * @param nextFileId the next file id of the past snapshot
    */
  def between(
      past: Vector[DataFile],
      present: Vector[DataFile],
      withSnapshots: Set[DataFileId],
      nextFileId: Long,
  ): FileDifference = {
    val now = present.map(file => file.id -> file).toMap
    val known = past.map(_.id).toSet
    val (copied, rewritten) =
      past.filterNot(file => now.contains(file.id)).partition(isWhole(_, withSnapshots))
    FileDifference(
      present.filterNot(file => known(file.id)),
      copied,
      rewritten,
      past
        .flatMap(file => now.get(file.id).map(FilePair(file, _)))
        .filter(mayDiffer(_, nextFileId)),
    )
  }

  /** False for a registered file that takes values from its path, because a copy has another path.
    */
  private def isWhole(file: DataFile, withSnapshots: Set[DataFileId]): Boolean =
    !file.hasDeletes && file.visibility == RowVisibility.All && file.constants.isEmpty &&
      !withSnapshots(file.id)

  /** Whether the two may have different visible rows. One delete file may serve both snapshots with
    * different deletes, because it can embed the snapshot of each delete. A file that was written
    * up to the past snapshot cannot: its id is below the next file id of that snapshot, and it has
    * no later deletes.
    */
  private def mayDiffer(pair: FilePair, nextFileId: Long): Boolean =
    pair.past.deleteFiles.map(_.id) != pair.present.deleteFiles.map(_.id) ||
      pair.past.deleteFiles.exists(_.id.value >= nextFileId) ||
      pair.past.inlinedDeletes != pair.present.inlinedDeletes ||
      pair.past.visibility != pair.present.visibility
}
