package ducklake.spark.changes.task

import ducklake.catalog.model.DataFileChanges
import ducklake.catalog.model.RowOrigin
import ducklake.catalog.model.SnapshotRange
import ducklake.files.delete.StoredDeletes
import ducklake.spark.changes.ChangeSide
import ducklake.spark.read.ScanPlanner

/** Converts the files of a listing to values for tasks.
  *
  * @param table the name of the table, for messages
  */
private[changes] final class FileHistories(table: String) {

  /** The parts of a file. */
  def parts(changes: DataFileChanges, sizes: ScanPlanner.Sizes): Vector[ChangedFile] = {
    val file = ofWhole(changes)
    ScanPlanner.parts(changes.file, table, sizes).map(part => file.copy(part = part))
  }

  /** The file as one part. */
  def whole(changes: DataFileChanges): ChangedFile = ofWhole(changes)

  private def ofWhole(changes: DataFileChanges): ChangedFile = {
    val noSplit = ScanPlanner.Sizes(Long.MaxValue, 0)
    ChangedFile(
      part = ScanPlanner.parts(changes.file, table, noSplit).head,
      begin = beginOf(changes.origin),
      fileEnd = changes.ended.fold(Long.MaxValue)(_.value),
      deleteFiles = changes.deleteFiles.map { dated =>
        val file = dated.file
        DatedDeletes(StoredDeletes.of(file, changes.file.recordCount, table), file.begin.value)
      },
      inlined = changes.inlinedDeletes.map(_._1).toArray,
      inlinedSnapshots = changes.inlinedDeletes.map(_._2.value).toArray,
    )
  }

  private def beginOf(origin: RowOrigin): RowBegin = origin match {
    case RowOrigin.OneSnapshot(id) => RowBegin.Same(id.value)
    case RowOrigin.Embedded(snapshots) => RowBegin.Embedded(snapshots.first.value)
    case RowOrigin.Runs(runs) =>
      RowBegin.Runs(runs.map(_._1.value).toArray, runs.map(_._2).toArray)
  }
}

/** The changes that a range of snapshots may have made to a file. */
private[spark] object ChangedSnapshots {

  /** The snapshots that may have changed rows of the file. */
  def of(changes: DataFileChanges, side: ChangeSide, range: SnapshotRange): Vector[SnapshotRange] =
    side match {
      case ChangeSide.Insertion => changes.insertedIn(range).toVector
      case ChangeSide.Deletion => changes.deletedIn(range)
    }

  /** For planning only: the approximate number of rows of the file that the range changed. */
  def rows(changes: DataFileChanges, side: ChangeSide, range: SnapshotRange): Long =
    side match {
      case ChangeSide.Insertion if changes.insertedIn(range).nonEmpty => changes.file.recordCount
      case ChangeSide.Insertion => 0L
      case ChangeSide.Deletion if changes.ended.nonEmpty => changes.file.recordCount
      case ChangeSide.Deletion =>
        changes.deleteFiles.map(_.file.deleteCount).maxOption.getOrElse(0L) +
          changes.inlinedDeletes.length
    }
}
