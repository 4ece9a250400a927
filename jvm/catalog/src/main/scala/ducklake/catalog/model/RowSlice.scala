package ducklake.catalog.model

import ducklake.catalog.types.DataFileId
import ducklake.catalog.types.SnapshotId

/** A place among the rows of a table at one snapshot. The rows are ordered by the snapshot that
  * added them, which no compaction changes; those of one snapshot by the ids of their files.
  * Inlined rows of a snapshot come last, because a flush moves them to a new file.
  *
  * @param adding all rows of earlier snapshots are before the place, and of this one those in
  *   `files`
  */
final case class RowPlace(adding: SnapshotId, files: Option[FilesBefore]) {

  /** Whether the file's rows of the snapshot `adding` are before the place. */
  def isAfter(file: DataFileId): Boolean = files.exists(file.value <= _.last.value)

  /** The first snapshot of which a file has rows after the place, if the file has rows of it. */
  def firstAfter(file: DataFileId): SnapshotId =
    if (isAfter(file)) SnapshotId(adding.value + 1) else adding
}

/** The files whose rows of one snapshot are before a place.
  *
  * @param last the greatest id of them
  * @param count how many there are. A new file never has a smaller id than an old one, so there are
  *   fewer only when a compaction replaced some of them
  */
final case class FilesBefore(last: DataFileId, count: Long)

object RowPlace {

  /** Before all rows. */
  val first: RowPlace = before(SnapshotId(0))

  /** Before the rows that the snapshot added. */
  def before(adding: SnapshotId): RowPlace = RowPlace(adding, None)
}

/** The rows of a table between two places.
  *
  * @param to None: up to the end
  */
final case class RowSlice(from: RowPlace, to: Option[RowPlace]) {

  /** The snapshots that added rows of the file that are in the slice. */
  def snapshotsOf(file: DataFile): SnapshotRange = {
    val last = to.fold(Long.MaxValue)(_.firstAfter(file.id).value - 1)
    file.snapshots.intersect(SnapshotRange(from.firstAfter(file.id), SnapshotId(last)))
  }

  /** The file with its rows of the slice; None when it has none. */
  def of(file: DataFile): Option[DataFile] = file.addedIn(snapshotsOf(file))

  /** The snapshots whose inlined rows are in the slice. */
  def inlined: SnapshotRange =
    SnapshotRange(from.adding, to.fold(SnapshotId(Long.MaxValue))(end => before(end.adding)))

  private def before(snapshot: SnapshotId): SnapshotId = SnapshotId(snapshot.value - 1)
}
