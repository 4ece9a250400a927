package ducklake.spark.maintenance.rollback

import ducklake.catalog.listing.InlinedReceiver
import ducklake.catalog.listing.InlinedRow
import org.roaringbitmap.longlong.Roaring64Bitmap

import scala.collection.mutable

/** Compares the inlined rows of a table at two snapshots while they are read. For rows that stay it
  * keeps only the row ids, as bitmaps; for rows that come back it also keeps the values. For one
  * thread.
  */
private[rollback] final class InlinedComparison {
  import InlinedComparison.Versions

  private val now = new Versions
  private val both = new Versions
  private val back = Vector.newBuilder[InlinedRow]
  private val equal = new Roaring64Bitmap

  /** Takes the rows of the present, before the rows of the past. */
  val present: InlinedReceiver = new InlinedReceiver {
    override def begin(): Unit = now.clear()
    override def add(row: InlinedRow): Unit = now.add(row)
  }

  /** Takes the rows of the past with their values. */
  val past: InlinedReceiver = new InlinedReceiver {
    override def begin(): Unit = {
      both.clear()
      back.clear()
    }

    override def add(row: InlinedRow): Unit =
      if (now.contains(row)) both.add(row) else back += row
  }

  /** Whether rows have another version now, which may have the same values: an earlier rollback
    * brought them back.
    */
  def hasOtherVersions: Boolean = {
    val ending = now.without(both)
    back.result().exists(row => ending.contains(row.rowId))
  }

  /** Takes the rows of the present with their values, after all other rows. Versions with equal
    * values do not differ.
    */
  def presentValues: InlinedReceiver = new InlinedReceiver {
    private val wanted = back.result().map(row => row.rowId -> row.values).toMap
    override def begin(): Unit = equal.clear()
    override def add(row: InlinedRow): Unit =
      if (wanted.get(row.rowId).contains(row.values)) equal.addLong(row.rowId)
  }

  /** The row ids whose present version ends, ascending. */
  def ended: Vector[Long] = {
    val ending = now.without(both)
    ending.andNot(equal)
    ending.toArray.toVector
  }

  /** The past versions that come back, in the order of their row ids. */
  def returned: Vector[InlinedRow] =
    back
      .result()
      .filterNot(row => equal.contains(row.rowId))
      .sortBy(row => (row.rowId, row.begin.value))
}

private object InlinedComparison {

  /** Row ids by the snapshot that wrote the version of the row. */
  private final class Versions {
    private val bitmaps = mutable.LongMap.empty[Roaring64Bitmap]

    def clear(): Unit = bitmaps.clear()

    def add(row: InlinedRow): Unit =
      bitmaps.getOrElseUpdate(row.begin.value, new Roaring64Bitmap).addLong(row.rowId)

    def contains(row: InlinedRow): Boolean =
      bitmaps.get(row.begin.value).exists(_.contains(row.rowId))

    /** The row ids of the versions that `other` does not have, each once. */
    def without(other: Versions): Roaring64Bitmap = {
      val left = new Roaring64Bitmap
      bitmaps.foreach { case (snapshot, own) =>
        val rest = new Roaring64Bitmap
        rest.or(own)
        other.bitmaps.get(snapshot).foreach(rest.andNot)
        left.or(rest)
      }
      left
    }
  }
}
