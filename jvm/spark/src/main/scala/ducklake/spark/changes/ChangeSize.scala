package ducklake.spark.changes

import ducklake.catalog.model.DataFileChanges
import ducklake.catalog.model.SnapshotId
import ducklake.catalog.model.SnapshotRange
import ducklake.catalog.read.ChangeListing
import ducklake.catalog.read.ChangeReceiver
import ducklake.catalog.read.InlinedRowChanges

import scala.collection.mutable

/** About how much a snapshot changed.
  *
  * @param files the data files that are opened for it; its inlined rows count as one more
  */
final case class ChangeSize(snapshot: SnapshotId, files: Long, rows: Long)

object ChangeSize {

  /** The sizes of the snapshots of a listing that changed something, ordered by snapshot. A file
    * that several snapshots changed counts at the first of them: it is opened for that one at the
    * latest.
    */
  private[changes] def of(
      listing: ChangeListing,
      sides: Vector[ChangeSide],
      inlinedRows: Map[SnapshotId, Long],
  ): Vector[ChangeSize] = {
    val inFiles = listing.files.flatMap(ofFile(_, sides, listing.range))
    val inlined = inlinedRows.toVector.collect {
      case (id, rows) if listing.range.contains(id) => ChangeSize(id, 1, rows)
    }
    (inFiles ++ inlined)
      .groupMapReduce(_.snapshot)(identity) { (left, right) =>
        ChangeSize(left.snapshot, left.files + right.files, left.rows + right.rows)
      }
      .values
      .toVector
      .sortBy(_.snapshot.value)
  }

  private def ofFile(
      changes: DataFileChanges,
      sides: Vector[ChangeSide],
      range: SnapshotRange,
  ): Option[ChangeSize] = {
    val by = sides.flatMap(ChangedSnapshots.of(changes, _, range))
    by.map(_.first).minByOption(_.value).map { first =>
      ChangeSize(first, 1, sides.map(rowsOf(changes, _, range)).sum)
    }
  }

  /** About how many rows of the file the range changed on a side. */
  private[changes] def rowsOf(
      changes: DataFileChanges,
      side: ChangeSide,
      range: SnapshotRange,
  ): Long =
    side match {
      case ChangeSide.Insertion if changes.insertedIn(range).nonEmpty => changes.file.recordCount
      case ChangeSide.Insertion => 0L
      case ChangeSide.Deletion if changes.ended.nonEmpty => changes.file.recordCount
      case ChangeSide.Deletion =>
        changes.deleteFiles.map(_.file.deleteCount).maxOption.getOrElse(0L) +
          changes.inlinedDeletes.length
    }
}

/** Counts the inlined rows that each snapshot changed. Rows that a snapshot of the listed range
  * deleted may have been inserted before the range.
  */
private[changes] final class InlinedSizes(sides: Vector[ChangeSide]) extends ChangeReceiver {

  // Filled while the rows are read, by one thread.
  private val counts = mutable.Map.empty[SnapshotId, Long].withDefaultValue(0L)

  def rows: Map[SnapshotId, Long] = counts.toMap

  def begin(): Unit = counts.clear()

  def add(row: InlinedRowChanges): Unit = {
    if (sides.contains(ChangeSide.Insertion)) counts(row.begin) += 1
    if (sides.contains(ChangeSide.Deletion)) row.ended.foreach(counts(_) += 1)
  }
}
