package ducklake.spark.parquet.rowgroup

import ducklake.files.store.RowRuns
import ducklake.spark.parquet.filter.RowTest

/** Reads the keys of row groups, and finds the rows that filters and deletes leave. Rows between
  * them may remain where to skip them would cost more than to decode them.
  *
  * @param test on the vectors of `reader`
  * @param trials when to do without
  */
private[parquet] final class KeyPass(
    reader: GroupReader,
    test: RowTest,
    visible: RowChoice,
    trials: KeyTrials,
    capacity: Int,
) extends AutoCloseable {

  private val kept = new Array[Int](capacity)

  /** The rows of a row group to read with all columns.
    *
    * @param start the position of the row group's first row
    * @param rows the rows in question; not empty
    * @param canSkip whether some of them can be read without the others
    * @param isFew whether rows are so few that those between them cost nothing
    *
    * Errors: errors of Parquet and of the storage.
    */
  def rows(
      group: Int,
      start: Long,
      rows: RowRuns,
      canSkip: Boolean,
      isFew: RowRuns => Boolean,
  ): RowRuns =
    if (!trials.isDue) rows
    else {
      val found = tested(group, start, rows, canSkip).flatMap { matching =>
        if (isFew(matching)) Some(matching)
        else Some(matching.joined(KeyPass.Gap)).filter(KeyPass.isWorthwhile(_, rows))
      }
      trials.note(found.nonEmpty)
      found.getOrElse(rows)
    }

  /** None when so many rows remain that the other columns are read as a whole. */
  private def tested(
      group: Int,
      start: Long,
      rows: RowRuns,
      canSkip: Boolean,
  ): Option[RowRuns] = {
    def isHopeless(seen: Long, remaining: Long) =
      if (canSkip) KeyPass.isHopeless(seen, remaining, rows.rows) else remaining > 0
    val found = new RowRuns.Builder
    var seen = 0L
    var remaining = 0L
    reader.start(group, rows)
    test.startGroup()
    while (!isHopeless(seen, remaining) && reader.next()) {
      val positions = reader.positions
      val count = remainingRows()
      // A plain loop: it runs once for every row that remains.
      var index = 0
      while (index < count) {
        val row = positions(kept(index)) - start
        found.add(row, row + 1)
        index += 1
      }
      seen += positions.rows
      remaining += count
    }
    Option.when(!isHopeless(seen, remaining))(found.result)
  }

  /** Writes the offsets of the rows of the batch that remain to `kept`. Deleted rows are left out
    * first, so that their values are never looked at.
    */
  private def remainingRows(): Int = {
    val rows = reader.positions.rows
    val shown = if (visible.mayHide) visible.keep(reader.positions, None, kept) else all(rows)
    test.keep(kept, shown)
  }

  private def all(rows: Int): Int = {
    var row = 0
    while (row < rows) {
      kept(row) = row
      row += 1
    }
    rows
  }

  override def close(): Unit = reader.close()
}

private[parquet] object KeyPass {

  /** To skip fewer rows than this between two rows costs about as much as to decode them. */
  private val Gap = 32

  /** So many rows have to be skipped on average: skipping walks the encoded values too. */
  private val LeastSkipped = 256

  /** Before so many rows have been seen, nothing is known about the others. */
  private val LeastSeen = 16384L

  /** Whether the rows are few enough, and far enough apart, to gain from reading only them. */
  private def isWorthwhile(found: RowRuns, among: RowRuns): Boolean = {
    val skipped = among.rows - found.rows
    2 * found.rows <= among.rows && skipped >= LeastSkipped.toLong * found.size
  }

  /** Whether so many rows remain that the test may end early. */
  private def isHopeless(seen: Long, remaining: Long, rows: Long): Boolean =
    seen >= math.max(LeastSeen, rows / 8) && 4 * remaining > 3 * seen
}

/** Decides whether the keys of the next row group are read first: after row groups in which it
  * gained nothing it is left out for more and more of them. The files of a task share it.
  */
final class KeyTrials {

  private var failures = 0
  private var pause = 0

  /** Whether it is tried with the next row group, which counts as asked. */
  private[rowgroup] def isDue: Boolean =
    if (pause == 0) true
    else {
      pause -= 1
      false
    }

  private[rowgroup] def note(hasGained: Boolean): Unit =
    if (hasGained) failures = 0
    else {
      failures += 1
      if (failures >= KeyTrials.Patience)
        pause = KeyTrials.Pause << math.min(failures - KeyTrials.Patience, KeyTrials.Doublings)
    }
}

private object KeyTrials {

  /** So many row groups in a row may gain nothing. */
  val Patience = 2

  /** So many row groups are then read without. */
  val Pause = 8

  /** How often the pause doubles at most. */
  val Doublings = 4
}
