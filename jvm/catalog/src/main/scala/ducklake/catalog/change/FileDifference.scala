package ducklake.catalog.change

import ducklake.catalog.model.DataFile
import ducklake.catalog.model.DataFileId
import ducklake.catalog.model.RowVisibility

/** What has to happen to the data files of a table so that it has the rows of a past snapshot.
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
    */
  def between(
      past: Vector[DataFile],
      present: Vector[DataFile],
      withSnapshots: Set[DataFileId],
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
        .filter(mayDiffer),
    )
  }

  /** Not for a registered file that takes values from its path, because a copy has another path. */
  private def isWhole(file: DataFile, withSnapshots: Set[DataFileId]): Boolean =
    file.deleteFile.isEmpty && file.inlinedDeletes.isEmpty &&
      file.visibility == RowVisibility.All && file.constants.isEmpty && !withSnapshots(file.id)

  /** Whether the two may have different visible rows. One delete file may serve both snapshots with
    * different deletes, because it can have the snapshot of each delete inside.
    */
  private def mayDiffer(pair: FilePair): Boolean =
    pair.past.deleteFile.nonEmpty || pair.present.deleteFile.nonEmpty ||
      pair.past.inlinedDeletes != pair.present.inlinedDeletes ||
      pair.past.visibility != pair.present.visibility
}
