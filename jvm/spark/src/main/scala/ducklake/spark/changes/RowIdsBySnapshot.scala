package ducklake.spark.changes

import org.roaringbitmap.RoaringBitmap

import scala.collection.mutable

/** Row ids that snapshots changed on one side. Mutable while it is filled, by one thread.
  *
  * Neighbours mostly share their snapshot and the upper half of their row ids, so a reader keeps the
  * bitmap that it used last: see [[RowIdsBySnapshot.Cursor]].
  */
private[changes] final class RowIdsBySnapshot extends Serializable {
  import RowIdsBySnapshot.*

  // The lower halves of row ids, by snapshot and upper half.
  private val bitmaps = mutable.LongMap.empty[mutable.LongMap[RoaringBitmap]]

  def addAll(other: RowIdsBySnapshot): Unit =
    other.bitmaps.foreach { case (snapshot, uppers) =>
      uppers.foreach { case (upper, lower) => bitmap(snapshot, upper).or(lower) }
    }

  /** For one thread, which asks or adds many in turn. */
  def cursor: Cursor = new Cursor(this)

  private def bitmap(snapshot: Long, upper: Long): RoaringBitmap =
    bitmaps
      .getOrElseUpdate(snapshot, mutable.LongMap.empty)
      .getOrElseUpdate(upper, new RoaringBitmap)

  private def find(snapshot: Long, upper: Long): RoaringBitmap =
    bitmaps.get(snapshot).flatMap(_.get(upper)).getOrElse(Empty)
}

private[changes] object RowIdsBySnapshot {
  private val Half = 32
  private val Empty = new RoaringBitmap

  /** Remembers where the last row id was. */
  final class Cursor private[RowIdsBySnapshot] (all: RowIdsBySnapshot) {
    private var snapshot = -1L
    private var upper = -1L
    private var bitmap = Empty

    def add(at: Long, rowId: Long): Unit = {
      if ((bitmap eq Empty) || isElsewhere(at, rowId)) move(at, rowId, all.bitmap)
      bitmap.add(rowId.toInt)
    }

    def contains(at: Long, rowId: Long): Boolean = {
      if (isElsewhere(at, rowId)) move(at, rowId, all.find)
      bitmap.contains(rowId.toInt)
    }

    private def isElsewhere(at: Long, rowId: Long): Boolean =
      at != snapshot || (rowId >>> Half) != upper

    private def move(at: Long, rowId: Long, to: (Long, Long) => RoaringBitmap): Unit = {
      snapshot = at
      upper = rowId >>> Half
      bitmap = to(snapshot, upper)
    }
  }
}
