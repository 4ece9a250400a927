package ducklake.spark.changes.task

import org.roaringbitmap.FastAggregation
import org.roaringbitmap.RoaringBitmap

import scala.collection.mutable

/** Row ids that snapshots changed on one side. Mutable while it is filled, by one thread.
  *
  * Neighbours mostly share their snapshot and the upper half of their row ids, so a reader keeps
  * the bitmap that it used last: see [[RowIdsBySnapshot.Cursor]].
  */
private[changes] final class RowIdsBySnapshot extends Serializable {
  import RowIdsBySnapshot.*

  // The lower halves of row ids, by snapshot and upper half.
  private val bitmaps = mutable.LongMap.empty[mutable.LongMap[RoaringBitmap]]

  /** The approximate size in memory. */
  def sizeBytes: Long =
    bitmaps.valuesIterator.map { uppers =>
      MapBytes + uppers.valuesIterator.map(_.getLongSizeInBytes).sum
    }.sum

  /** For one thread, which looks up or adds many row ids in order. */
  def cursor: Cursor = new Cursor(this)

  private def within(first: Long, last: Long): Iterator[(Long, mutable.LongMap[RoaringBitmap])] =
    if (first == last) bitmaps.get(first).iterator.map(first -> _)
    else bitmaps.iterator.filter { case (snapshot, _) => first <= snapshot && snapshot <= last }

  private def bitmap(snapshot: Long, upper: Long): RoaringBitmap =
    bitmaps
      .getOrElseUpdate(snapshot, mutable.LongMap.empty)
      .getOrElseUpdate(upper, new RoaringBitmap)

  private def find(snapshot: Long, upper: Long): RoaringBitmap =
    bitmaps.getOrElse(snapshot, NoUppers).getOrElse(upper, Empty)
}

private[changes] object RowIdsBySnapshot {
  private val Half = 32
  private val Empty = new RoaringBitmap
  private val NoUppers = mutable.LongMap.empty[RoaringBitmap]

  /** The approximate size of the maps of a snapshot. */
  private val MapBytes = 512L

  /** The row ids of all of these that snapshots from `first` to `last` changed. The result shares
    * bitmaps with them, so these must not be filled any more.
    */
  def union(all: Vector[RowIdsBySnapshot], first: Long, last: Long): RowIdsBySnapshot = {
    val parts = for {
      one <- all
      (snapshot, uppers) <- one.within(first, last)
      (upper, lower) <- uppers
    } yield (snapshot, upper) -> lower
    val found = new RowIdsBySnapshot
    parts.groupMap(_._1)(_._2).foreach { case ((snapshot, upper), lowers) =>
      val bitmap = if (lowers.length == 1) lowers.head else FastAggregation.or(lowers*)
      found.bitmaps.getOrElseUpdate(snapshot, mutable.LongMap.empty).update(upper, bitmap)
    }
    found
  }

  /** Remembers the place of the last row id. */
  final class Cursor private[RowIdsBySnapshot] (all: RowIdsBySnapshot) {
    private var snapshot = -1L
    private var upper = -1L
    private var bitmap = Empty

    def add(at: Long, rowId: Long): Unit = {
      if ((bitmap eq Empty) || isElsewhere(at, rowId)) {
        move(at, rowId)
        bitmap = all.bitmap(snapshot, upper)
      }
      bitmap.add(rowId.toInt)
    }

    def contains(at: Long, rowId: Long): Boolean = {
      if (isElsewhere(at, rowId)) {
        move(at, rowId)
        bitmap = all.find(snapshot, upper)
      }
      bitmap.contains(rowId.toInt)
    }

    private def isElsewhere(at: Long, rowId: Long): Boolean =
      at != snapshot || (rowId >>> Half) != upper

    private def move(at: Long, rowId: Long): Unit = {
      snapshot = at
      upper = rowId >>> Half
    }
  }
}
