package ducklake.catalog.sql

import java.util.Arrays

/** Row ids that follow one another.
  *
  * @param first inclusive
  * @param last inclusive
  */
private[sql] final case class RowIdRange(first: Long, last: Long) {
  def size: Long = last - first + 1

  def ids: Vector[Long] = (first to last).toVector
}

private[sql] object RowIdRanges {

  /** The ranges that have exactly these row ids, increasing. */
  def of(rowIds: IndexedSeq[Long]): Vector[RowIdRange] = {
    // An array instead of objects, because a statement may delete millions of rows.
    val sorted = rowIds.toArray
    Arrays.sort(sorted)
    val ranges = Vector.newBuilder[RowIdRange]
    var start = 0
    sorted.indices.foreach { at =>
      val isLast = at == sorted.length - 1 || sorted(at + 1) > sorted(at) + 1
      if (isLast) {
        ranges += RowIdRange(sorted(start), sorted(at))
        start = at + 1
      }
    }
    ranges.result()
  }
}
