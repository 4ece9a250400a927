package ducklake.spark.streaming

import ducklake.catalog.listing.ChangeReceiver
import ducklake.catalog.listing.ChangeRequest
import ducklake.catalog.listing.InlinedChangesRequest
import ducklake.catalog.listing.InlinedRowChanges
import ducklake.catalog.model.DataFileChanges
import ducklake.catalog.model.SnapshotRange
import ducklake.catalog.types.SnapshotId
import ducklake.spark.changes.ChangeSide
import ducklake.spark.changes.task.ChangedSnapshots
import ducklake.spark.session.TableAtSnapshot

import scala.collection.mutable

/** The approximate size of the changes of a snapshot.
  *
  * @param files the data files that are opened for it; its inlined rows count as one more file
  */
private[streaming] final case class ChangeSize(snapshot: SnapshotId, files: Long, rows: Long)

private[streaming] object ChangeSize {

  /** The sizes of the snapshots from `from` to the snapshot of the table, by the catalog alone,
    * ordered by snapshot. Snapshots that changed nothing are left out. A file that several
    * snapshots changed counts at the first of these, whose batch opens it.
    *
    * Errors: ChangesExpired.
    */
  def since(
      from: SnapshotId,
      at: TableAtSnapshot,
      sides: Vector[ChangeSide],
  ): Vector[ChangeSize] = {
    val inlined = new InlinedSizes(sides)
    val asked = ChangeRequest(from, Some(InlinedChangesRequest(Vector.empty, inlined)))
    val listing = at.snapshot.changes(at.table, asked)
    (listing.files.flatMap(ofFile(_, sides, listing.range)) ++ inlined.within(listing.range))
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
      ChangeSize(first, 1, sides.map(ChangedSnapshots.rows(changes, _, range)).sum)
    }
  }
}

/** Counts the inlined rows that each snapshot changed. */
private final class InlinedSizes(sides: Vector[ChangeSide]) extends ChangeReceiver {

  // Filled while the rows are read, by one thread.
  private val counts = mutable.Map.empty[SnapshotId, Long].withDefaultValue(0L)

  /** A row that a snapshot of the range deleted may have been inserted before the range. */
  def within(range: SnapshotRange): Vector[ChangeSize] =
    counts.toVector.collect { case (id, rows) if range.contains(id) => ChangeSize(id, 1, rows) }

  def begin(): Unit = counts.clear()

  def add(row: InlinedRowChanges): Unit = {
    if (sides.contains(ChangeSide.Insertion)) counts(row.begin) += 1
    if (sides.contains(ChangeSide.Deletion)) row.ended.foreach(counts(_) += 1)
  }
}
