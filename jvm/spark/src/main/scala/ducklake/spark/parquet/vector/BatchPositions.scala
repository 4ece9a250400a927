package ducklake.spark.parquet.vector

import ducklake.files.store.RowRuns

/** The positions in the file of the rows of a batch, ascending. It is refilled for each batch.
  *
  * @param capacity the most rows in a batch
  */
final class BatchPositions(capacity: Int) {

  private val positions = new Array[Long](capacity)
  private var size = 0

  // The rows that come next in the row group.
  private var runs = RowRuns.none
  private var groupStart = 0L
  private var run = 0
  private var row = 0L

  /** Number of rows in the batch. */
  def rows: Int = size

  def apply(row: Int): Long = positions(row)

  /** The positions of the batch's rows first. */
  def all: Array[Long] = positions

  /** Begins with a row group of which these rows are read.
    *
    * @param start the position of the row group's first row
    */
  def startGroup(start: Long, rows: RowRuns): Unit = {
    groupStart = start
    runs = rows
    run = 0
    row = if (rows.isEmpty) 0L else rows.start(0)
  }

  /** The batch has the next rows of the row group. */
  def advance(count: Int): Unit = {
    // A plain loop: it runs once for every row of a file.
    size = 0
    while (size < count) {
      val until = math.min(runs.end(run) - row, (count - size).toLong).toInt + size
      while (size < until) {
        positions(size) = groupStart + row
        size += 1
        row += 1
      }
      if (row == runs.end(run)) {
        run += 1
        if (run < runs.size) row = runs.start(run)
      }
    }
  }
}
