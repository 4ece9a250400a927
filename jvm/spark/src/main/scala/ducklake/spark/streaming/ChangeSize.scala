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
import ducklake.spark.read.ReadColumns
import ducklake.spark.read.statistics.ScanSize
import ducklake.spark.session.TableAtSnapshot

import scala.collection.mutable

/** The approximate size of the changes of a snapshot. */
private[streaming] final case class ChangeSize(snapshot: SnapshotId, size: RowsSize)

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
    val schema = ReadColumns.all(at)
    val width = new ScanSize(schema, schema)
    val ofRows = inlined.within(listing.range).map { case (id, rows) =>
      ChangeSize(id, RowsSize(1, rows, width.bytes(0, rows)))
    }
    (listing.files.flatMap(ofFile(_, sides, listing.range)) ++ ofRows)
      .groupMapReduce(_.snapshot)(_.size)(_ + _)
      .toVector
      .map { case (id, size) => ChangeSize(id, size) }
      .sortBy(_.snapshot.value)
  }

  private def ofFile(
      changes: DataFileChanges,
      sides: Vector[ChangeSide],
      range: SnapshotRange,
  ): Option[ChangeSize] = {
    val by = sides.flatMap(ChangedSnapshots.of(changes, _, range))
    by.map(_.first).minByOption(_.value).map { first =>
      val rows = sides.map(ChangedSnapshots.rows(changes, _, range)).sum
      ChangeSize(first, RowsSize(1, rows, ScanSize.bytesOf(changes.file, rows).toLong))
    }
  }
}

/** Counts the inlined rows that each snapshot changed. */
private final class InlinedSizes(sides: Vector[ChangeSide]) extends ChangeReceiver {

  // Filled while the rows are read, by one thread.
  private val counts = mutable.Map.empty[SnapshotId, Long].withDefaultValue(0L)

  /** A row that a snapshot of the range deleted may have been inserted before the range. */
  def within(range: SnapshotRange): Vector[(SnapshotId, Long)] =
    counts.toVector.filter { case (id, _) => range.contains(id) }

  def begin(): Unit = counts.clear()

  def add(row: InlinedRowChanges): Unit = {
    if (sides.contains(ChangeSide.Insertion)) counts(row.begin) += 1
    if (sides.contains(ChangeSide.Deletion)) row.ended.foreach(counts(_) += 1)
  }
}
