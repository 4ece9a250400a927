package ducklake.spark.changes

import org.roaringbitmap.longlong.Roaring64Bitmap

import scala.collection.mutable

/** Row ids that snapshots changed on one side. Mutable while it is filled, by one thread. */
private[changes] final class RowIdsBySnapshot extends Serializable {
  private val bitmaps = mutable.LongMap.empty[Roaring64Bitmap]

  def add(snapshot: Long, rowId: Long): Unit =
    bitmaps.getOrElseUpdate(snapshot, new Roaring64Bitmap).addLong(rowId)

  def addAll(other: RowIdsBySnapshot): Unit =
    other.bitmaps.foreach { case (snapshot, rowIds) =>
      bitmaps.getOrElseUpdate(snapshot, new Roaring64Bitmap).or(rowIds)
    }

  def contains(snapshot: Long, rowId: Long): Boolean =
    bitmaps.get(snapshot).exists(_.contains(rowId))
}
