package ducklake.files.store

import java.util.PrimitiveIterator
import java.util.Arrays

/** Some rows of a row group: runs of rows without gaps, disjoint and ascending. Immutable. Rows
  * count from the first row of the row group.
  *
  * @param starts the first row of each run
  * @param ends the row behind each run
  */
final class RowRuns private (starts: Array[Long], ends: Array[Long]) {

  /** The number of runs. */
  val size: Int = starts.length

  /** The number of rows in all runs. */
  val rows: Long = starts.indices.iterator.map(run => ends(run) - starts(run)).sum

  def isEmpty: Boolean = size == 0

  /** Whether these are all rows of a row group with this many rows. */
  def areAll(groupRows: Long): Boolean = rows == groupRows

  /** The first row of a run. */
  def start(run: Int): Long = starts(run)

  /** The row behind a run. */
  def end(run: Int): Long = ends(run)

  /** The same rows with those between two runs that are at most so many. */
  def joined(gap: Int): RowRuns = {
    val found = new RowRuns.Builder(gap)
    starts.indices.foreach(run => found.add(starts(run), ends(run)))
    found.result
  }

  /** All rows one by one. */
  def iterator: PrimitiveIterator.OfLong = new PrimitiveIterator.OfLong {
    private var run = 0
    private var row = if (isEmpty) 0L else starts(0)

    override def hasNext: Boolean = run < size

    override def nextLong(): Long = {
      val next = row
      row += 1
      if (row == ends(run)) {
        run += 1
        if (run < size) row = starts(run)
      }
      next
    }
  }

  override def toString: String =
    starts.indices.map(run => s"${starts(run)} until ${ends(run)}").mkString("[", ", ", "]")
}

object RowRuns {

  val none: RowRuns = new RowRuns(Array.emptyLongArray, Array.emptyLongArray)

  /** All rows of a row group. */
  def all(groupRows: Long): RowRuns =
    if (groupRows == 0L) none else new RowRuns(Array(0L), Array(groupRows))

  /** Collects ascending rows.
    *
    * @param gap so many rows that are missing between two rows are added: to skip fewer rows costs
    *   more than to read them
    */
  final class Builder(gap: Int = 0) {
    private var starts = new Array[Long](16)
    private var ends = new Array[Long](16)
    private var size = 0

    /** Adds the rows from `start` to before `end`. */
    def add(start: Long, end: Long): Unit =
      if (size > 0 && start - ends(size - 1) <= gap) ends(size - 1) = end
      else {
        if (size == starts.length) {
          starts = Arrays.copyOf(starts, 2 * size)
          ends = Arrays.copyOf(ends, 2 * size)
        }
        starts(size) = start
        ends(size) = end
        size += 1
      }

    def result: RowRuns = new RowRuns(Arrays.copyOf(starts, size), Arrays.copyOf(ends, size))
  }
}
