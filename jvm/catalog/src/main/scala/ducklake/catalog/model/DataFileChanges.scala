package ducklake.catalog.model

import ducklake.catalog.types.SnapshotId

/** A data file with the history of its rows up to the last snapshot of a range.
  *
  * A row of the file begins at the snapshot that `origin` gives. It ends at the first of these: the
  * snapshot that ended the file, the snapshot of its inlined delete, and the snapshot at which a
  * delete file names its position. A row that ends at the snapshot at which it begins was never
  * visible. Any other row is an insertion when its begin is in the range, and a deletion when its
  * end is in the range.
  *
  * @param file the data file without deletes, with all rows visible
  * @param ended the snapshot that ended the file, when that is in the range
  * @param deleteFiles the delete files of the data file that hold deletes of the range, and the
  *   delete files that were live when the range began; ordered by begin, then id. A delete file
  *   that replaces another names its positions again, so a position is deleted at the smallest
  *   snapshot that these files give for it.
  * @param inlinedDeletes positions with inlined deletes up to the end of the range, each with the
  *   snapshot that deleted it; ordered by position
  *
  * Source: format 5.5, 6 and 10; decision 10.
  */
final case class DataFileChanges(
    file: DataFile,
    origin: RowOrigin,
    ended: Option[SnapshotId],
    deleteFiles: Vector[DatedDeleteFile],
    inlinedDeletes: Vector[(Long, SnapshotId)],
) {

  /** Whether the range may have inserted or deleted rows of this file. */
  def mayChangeIn(range: SnapshotRange): Boolean =
    insertedIn(range).nonEmpty || deletedIn(range).nonEmpty

  /** The snapshots of the range that may have inserted rows of this file. */
  def insertedIn(range: SnapshotRange): Option[SnapshotRange] =
    Some(origin.snapshots.intersect(range)).filter(_.nonEmpty)

  /** The snapshots of the range that may have deleted rows of this file. They may overlap. */
  def deletedIn(range: SnapshotRange): Vector[SnapshotRange] = {
    val byEnd = ended.map(SnapshotRange.of).toVector
    val byFile = deleteFiles.map(_.snapshots)
    val inlined = inlinedDeletes.map(_._2).distinct.map(SnapshotRange.of)
    (byEnd ++ byFile ++ inlined).map(_.intersect(range)).filter(_.nonEmpty).distinct
  }
}

/** The snapshots that inserted the rows of a data file. */
sealed trait RowOrigin {

  /** From the smallest snapshot of a row to the largest. */
  def snapshots: SnapshotRange
}

object RowOrigin {

  /** One snapshot inserted all rows. */
  final case class OneSnapshot(id: SnapshotId) extends RowOrigin {
    def snapshots: SnapshotRange = SnapshotRange.of(id)
  }

  /** The file holds the snapshot of each row in a column. */
  final case class Embedded(snapshots: SnapshotRange) extends RowOrigin

  /** Catalogs up to 0.3: the file consists of runs of rows, one for each snapshot.
    *
    * @param runs snapshot of each run, and the number of rows up to the end of the run, in file
    *   order
    */
  final case class Runs(runs: Vector[(SnapshotId, Long)]) extends RowOrigin {
    def snapshots: SnapshotRange = {
      val ids = runs.map(_._1.value)
      SnapshotRange(
        SnapshotId(ids.minOption.getOrElse(0L)),
        SnapshotId(ids.maxOption.getOrElse(-1L)),
      )
    }
  }
}

/** A delete file and the snapshots of its deletes.
  *
  * @param snapshots from the begin snapshot of the delete file to the snapshot that wrote it. These
  *   differ when the file has replaced others and holds their positions with the snapshot of each
  */
final case class DatedDeleteFile(file: DeleteFile, snapshots: SnapshotRange)
