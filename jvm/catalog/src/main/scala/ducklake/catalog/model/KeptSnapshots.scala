package ducklake.catalog.model

import java.util.Arrays

import scala.collection.immutable.ArraySeq

/** Snapshots that are gone. A row that began after the snapshot `after`, and ended at the latest with
  * the snapshot `next`, is seen by none that is kept.
  *
  * @param after the kept snapshot before the gap, or -1
  * @param next the kept snapshot after the gap
  */
final case class SnapshotGap(after: Long, next: Long)

/** The snapshots that a lake had at one moment, as ranges of ids without gaps: 16 bytes for each
  * range. A lake whose old snapshots have expired has one range.
  *
  * @param firsts the first id of each range, increasing
  * @param lasts the last id of each range
  */
final case class KeptSnapshots(firsts: ArraySeq[Long], lasts: ArraySeq[Long]) {
  private val ends = lasts.toArray

  /** Whether no snapshot of the lake sees a metadata row any more, and no later snapshot will. A
    * row that lives, or that ended after the newest of these snapshots, counts as seen: snapshots
    * that were made since may see it.
    */
  def isUnseen(row: Lifetime): Boolean =
    row.end.exists { end =>
      lasts.lastOption.exists(_ >= end.value) && firstFrom(row.begin.value).forall(_ >= end.value)
    }

  /** The gaps before and between the ranges, in which [[isUnseen]] finds the lives of rows. */
  def gaps: Vector[SnapshotGap] = {
    val befores = -1L +: lasts.dropRight(1)
    befores.zip(firsts).map { case (after, next) => SnapshotGap(after, next) }.toVector
  }

  /** The smallest kept id that is not smaller than `id`. */
  private def firstFrom(id: Long): Option[Long] = {
    val found = Arrays.binarySearch(ends, id)
    val range = if (found >= 0) found else -found - 1
    firsts.lift(range).map(_.max(id))
  }
}
