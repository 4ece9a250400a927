package ducklake.files.delete

import java.util.Arrays

import scala.collection.immutable.ArraySeq

/** Deleted row positions of one data file: 0-based, strictly increasing, immutable. */
final class DeletedPositions private (private val positions: Array[Long]) {

  def size: Int = positions.length

  def isEmpty: Boolean = positions.length == 0

  def contains(position: Long): Boolean = Arrays.binarySearch(positions, position) >= 0

  /** The number of deleted rows among the rows `from` until `from + rows`. */
  def countIn(from: Long, rows: Long): Int = firstAtLeast(from + rows) - firstAtLeast(from)

  /** Writes the offsets of the rows that are not deleted, among the rows `from` until `from +
    * rows`.
    *
    * @param kept receives the offsets, ascending; at least `rows` long
    * @return the number of written offsets
    */
  def keep(from: Long, rows: Int, kept: Array[Int]): Int = {
    // A plain loop: it runs once for every row of a file with deletes.
    var next = firstAtLeast(from)
    var written = 0
    var offset = 0
    while (offset < rows) {
      if (next < positions.length && positions(next) == from + offset) next += 1
      else {
        kept(written) = offset
        written += 1
      }
      offset += 1
    }
    written
  }

  /** Like the other `keep`, for rows at any ascending positions. */
  def keep(of: Array[Long], rows: Int, kept: Array[Int]): Int = {
    // A plain loop: it runs once for every row of a file with deletes.
    var next = if (rows == 0) 0 else firstAtLeast(of(0))
    var written = 0
    var offset = 0
    while (offset < rows) {
      while (next < positions.length && positions(next) < of(offset)) next += 1
      if (next == positions.length || positions(next) != of(offset)) {
        kept(written) = offset
        written += 1
      }
      offset += 1
    }
    written
  }

  def union(other: DeletedPositions): DeletedPositions =
    if (isEmpty) other
    else if (other.isEmpty) this
    else new DeletedPositions(DeletedPositions.merged(positions, other.positions))

  /** The positions that are not in `other`. */
  def minus(other: DeletedPositions): DeletedPositions =
    if (isEmpty || other.isEmpty) this
    else new DeletedPositions(positions.filterNot(other.contains))

  /** The other positions of a file with this many rows.
    *
    * Errors: IllegalArgumentException when they are more than an array holds.
    */
  def others(rows: Long): DeletedPositions = {
    // A plain loop: a file may have millions of rows.
    val count = rows - countIn(0L, rows)
    require(count < Int.MaxValue, s"the positions of $count rows are too many")
    val all = new Array[Long](count.toInt)
    var size = 0
    var next = 0
    var position = 0L
    while (position < rows) {
      if (next < positions.length && positions(next) == position) next += 1
      else {
        all(size) = position
        size += 1
      }
      position += 1
    }
    new DeletedPositions(all)
  }

  def toVector: Vector[Long] = positions.toVector

  /** The positions as a sequence, without a copy. */
  def asSequence: ArraySeq[Long] = ArraySeq.unsafeWrapArray(positions)

  def foreach(action: Long => Unit): Unit = positions.foreach(action)

  private def firstAtLeast(position: Long): Int = {
    val found = Arrays.binarySearch(positions, position)
    if (found >= 0) found else -found - 1
  }
}

object DeletedPositions {

  val empty: DeletedPositions = new DeletedPositions(Array.emptyLongArray)

  /** Errors: IllegalArgumentException when a data file with this many rows has no such position. */
  private[delete] def requireRow(position: Long, rows: Long): Unit =
    require(
      position >= 0 && position < rows,
      s"position $position is no row of the data file, which has $rows",
    )

  /** Builds the positions from an array in any order. Positions may repeat. */
  def apply(positions: Array[Long]): DeletedPositions = of(positions.clone())

  /** Like `apply`, for an array that nobody else has: the new object keeps it, and may sort it. */
  def of(positions: Array[Long]): DeletedPositions =
    if (positions.isEmpty) empty
    else if (isStrictlyIncreasing(positions)) new DeletedPositions(positions)
    else {
      Arrays.sort(positions)
      new DeletedPositions(distinct(positions))
    }

  /** Positions in ascending order, each once. The array is changed. */
  private def distinct(sorted: Array[Long]): Array[Long] = {
    // A plain loop: delete files may name millions of rows.
    var size = 1
    var next = 1
    while (next < sorted.length) {
      if (sorted(next) != sorted(size - 1)) {
        sorted(size) = sorted(next)
        size += 1
      }
      next += 1
    }
    shortened(sorted, size)
  }

  private def shortened(positions: Array[Long], size: Int): Array[Long] =
    if (size == positions.length) positions else Arrays.copyOf(positions, size)

  /** Merges both sides in order, each position once. */
  private def merged(left: Array[Long], right: Array[Long]): Array[Long] = {
    // A plain loop: delete files may name millions of rows.
    val both = new Array[Long](left.length + right.length)
    var fromLeft = 0
    var fromRight = 0
    var size = 0
    while (fromLeft + fromRight < both.length) {
      val takesLeft = fromRight == right.length ||
        (fromLeft < left.length && left(fromLeft) <= right(fromRight))
      val next = if (takesLeft) left(fromLeft) else right(fromRight)
      if (takesLeft) fromLeft += 1 else fromRight += 1
      if (size == 0 || both(size - 1) != next) {
        both(size) = next
        size += 1
      }
    }
    shortened(both, size)
  }

  private def isStrictlyIncreasing(positions: Array[Long]): Boolean = {
    var index = 1
    while (index < positions.length && positions(index - 1) < positions(index)) index += 1
    index >= positions.length
  }
}
