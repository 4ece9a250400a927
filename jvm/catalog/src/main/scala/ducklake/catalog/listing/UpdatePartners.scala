package ducklake.catalog.listing

import ducklake.catalog.model.DataFileChanges
import ducklake.catalog.model.SnapshotRange
import ducklake.catalog.types.SnapshotId

/** Finds the files and inlined rows that may hold the other image of an updated row.
  *
  * An update is a deletion and an insertion of one row id by one snapshot. So the other image of a
  * row that a snapshot inserted is among the rows that the same snapshot deleted, and the reverse.
  * A file is found by the snapshots that may have changed its rows; only a reader of the file knows
  * which rows changed.
  */
final class UpdatePartners(changes: ChangeListing) {
  private val range = changes.range

  private val insertions = new BySnapshot(changes.files)(_.insertedIn(range).toVector)
  private val deletions = new BySnapshot(changes.files)(_.deletedIn(range))

  /** The files of which these snapshots may have deleted rows. */
  def filesWithDeletions(by: SnapshotRange): Vector[DataFileChanges] = deletions.overlapping(by)

  /** The files into which these snapshots may have inserted rows. */
  def filesWithInsertions(by: SnapshotRange): Vector[DataFileChanges] = insertions.overlapping(by)

  /** Whether these snapshots deleted inlined rows. */
  def deletedRows(by: SnapshotRange): Boolean = isAmong(changes.inlined.deleted, by)

  /** Whether these snapshots inserted inlined rows. */
  def insertedRows(by: SnapshotRange): Boolean = isAmong(changes.inlined.inserted, by)

  private def isAmong(snapshots: Set[SnapshotId], by: SnapshotRange): Boolean =
    by.single match {
      case Some(one) => snapshots(one)
      case None => snapshots.exists(by.contains)
    }
}

/** Values by ranges of snapshots. Most ranges have one snapshot, and these are found by a look-up.
  *
  * @param rangesOf the ranges of a value; it may have none, or several
  */
private final class BySnapshot[A](values: Vector[A])(rangesOf: A => Vector[SnapshotRange]) {

  private val entries: Vector[(SnapshotRange, Int)] =
    values.zipWithIndex.flatMap { case (value, index) => rangesOf(value).map(_ -> index) }

  private val single: Map[SnapshotId, Vector[Int]] =
    entries
      .flatMap { case (range, index) => range.single.map(_ -> index) }
      .groupMap(_._1)(_._2)

  private val wide: Vector[(SnapshotRange, Int)] = entries.filter(_._1.single.isEmpty)

  /** The values with a range that shares a snapshot with `by`, in their order. */
  def overlapping(by: SnapshotRange): Vector[A] = {
    val found = by.single match {
      case Some(id) => single.getOrElse(id, Vector.empty) ++ within(wide, by)
      case None => within(entries, by)
    }
    found.distinct.sorted.map(values)
  }

  private def within(some: Vector[(SnapshotRange, Int)], by: SnapshotRange): Vector[Int] =
    some.collect { case (range, index) if range.overlaps(by) => index }
}
