package ducklake.spark.streaming

import ducklake.catalog.model.DataFile
import ducklake.catalog.model.SnapshotRange
import ducklake.catalog.types.DataFileId
import ducklake.catalog.types.SnapshotId

/** A place among the rows of a table at one snapshot: the rows before it were read. The rows are
  * ordered by the snapshot that added them, which no compaction changes; those of one snapshot by
  * the ids of their files. Inlined rows of a snapshot come last, because a flush moves them to a
  * new file.
  *
  * @param adding all rows of earlier snapshots were read, and of this one those in `files`
  */
private[streaming] final case class RowPlace(adding: SnapshotId, files: Option[ReadFiles]) {

  /** Whether the file's rows of the snapshot `adding` were read. */
  def hasRead(file: DataFile): Boolean = files.exists(file.id.value <= _.last.value)

  /** Whether the files of which rows of the snapshot `adding` were read are the ones they were. */
  def isIn(listed: Vector[DataFile]): Boolean =
    files.forall(read => RowPlace.count(listed, adding, read.last) == read.count)
}

/** The files whose rows of one snapshot were read.
  *
  * @param last the greatest id of them
  * @param count how many there are. A new file never has a smaller id than an old one, so there are
  *   fewer only when a compaction replaced some of them
  */
private[streaming] final case class ReadFiles(last: DataFileId, count: Long)

private[streaming] object RowPlace {

  /** Before all rows. */
  val first: RowPlace = before(SnapshotId(0))

  /** Before the rows that the snapshot added. */
  def before(adding: SnapshotId): RowPlace = RowPlace(adding, None)

  /** After the rows that the snapshot added in files up to this one.
    *
    * @param listed all files of the table
    */
  def after(adding: SnapshotId, last: DataFileId, listed: Vector[DataFile]): RowPlace =
    RowPlace(adding, Some(ReadFiles(last, count(listed, adding, last))))

  private def count(listed: Vector[DataFile], adding: SnapshotId, last: DataFileId): Long =
    listed.count(file => file.id.value <= last.value && file.snapshots.contains(adding)).toLong
}

/** The rows of a table between two places.
  *
  * @param to None: up to the end
  */
private[streaming] final case class RowSlice(from: RowPlace, to: Option[RowPlace]) {

  /** The snapshots that added rows of the file that are in the slice. */
  def snapshotsOf(file: DataFile): SnapshotRange = {
    val first = if (from.hasRead(file)) from.adding.value + 1 else from.adding.value
    val last = to.fold(Long.MaxValue) { end =>
      if (end.hasRead(file)) end.adding.value else end.adding.value - 1
    }
    file.snapshots.intersect(SnapshotRange(SnapshotId(first), SnapshotId(last)))
  }

  /** The file with its rows of the slice; None when it has none. */
  def of(file: DataFile): Option[DataFile] = file.addedIn(snapshotsOf(file))

  /** Whether the slice has the inlined rows that the snapshot added. */
  def hasInlined(added: SnapshotId): Boolean =
    from.adding.value <= added.value && to.forall(added.value < _.adding.value)
}
