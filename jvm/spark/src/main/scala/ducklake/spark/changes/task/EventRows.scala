package ducklake.spark.changes.task

import ducklake.spark.parquet.read.RowChoice
import org.apache.parquet.hadoop.metadata.BlockMetaData
import org.apache.spark.sql.vectorized.ColumnVector

/** The rows of a file that a range of snapshots inserted. */
private[changes] final class InsertedRows(
    lifetimes: RowLifetimes,
    range: FeedRange,
    val snapshotOrdinal: Option[Int],
) extends RowChoice {

  /** Whether all rows begin in the range. */
  private val allBegin = lifetimes.begin match {
    case RowBegin.Same(snapshot) => range.contains(snapshot)
    case _: RowBegin.Embedded | _: RowBegin.Runs => false
  }

  /** Whether a row may end where it begins, so that no snapshot has it. */
  private val mayEndAtBegin = lifetimes.begin match {
    case RowBegin.Same(snapshot) => lifetimes.firstEnd <= snapshot
    case _: RowBegin.Embedded | _: RowBegin.Runs => lifetimes.firstEnd <= range.last
  }

  private val hasRuns = lifetimes.begin match {
    case _: RowBegin.Runs => true
    case _: RowBegin.Same | _: RowBegin.Embedded => false
  }

  def needsPositions: Boolean = mayEndAtBegin || hasRuns

  def mayHide: Boolean = mayEndAtBegin || !allBegin

  def hidesAll(group: BlockMetaData): Boolean = false

  def keep(start: Long, rows: Int, snapshots: Option[ColumnVector], kept: Array[Int]): Int = {
    // A plain loop: it runs once for every row of a file with rows of several snapshots.
    var row = 0
    var written = 0
    while (row < rows) {
      val begin = lifetimes.begin.of(start + row, snapshots, row)
      if (range.contains(begin) && (!mayEndAtBegin || lifetimes.endOf(start + row) > begin)) {
        kept(written) = row
        written += 1
      }
      row += 1
    }
    written
  }
}

/** The rows of a file that a range of snapshots deleted. */
private[changes] final class DeletedRows(
    lifetimes: RowLifetimes,
    range: FeedRange,
    val snapshotOrdinal: Option[Int],
) extends RowChoice {

  def needsPositions: Boolean = true

  def mayHide: Boolean = true

  def hidesAll(group: BlockMetaData): Boolean =
    !lifetimes.mayEndIn(group.getRowIndexOffset, group.getRowCount, range)

  def keep(start: Long, rows: Int, snapshots: Option[ColumnVector], kept: Array[Int]): Int =
    if (range.contains(lifetimes.fileEnd)) keepEnded(start, rows, snapshots, kept)
    else keepDeleted(start, rows, snapshots, kept)

  /** Every row of the file ends. */
  private def keepEnded(
      start: Long,
      rows: Int,
      snapshots: Option[ColumnVector],
      kept: Array[Int],
  ): Int = {
    // A plain loop: it runs once for every row of a file that was ended.
    var row = 0
    var written = 0
    while (row < rows) {
      val end = lifetimes.endOf(start + row)
      if (range.contains(end) && lifetimes.begin.of(start + row, snapshots, row) < end) {
        kept(written) = row
        written += 1
      }
      row += 1
    }
    written
  }

  /** Only rows at deleted positions end. */
  private def keepDeleted(
      start: Long,
      rows: Int,
      snapshots: Option[ColumnVector],
      kept: Array[Int],
  ): Int = {
    // A plain loop: it runs once for every deleted position.
    val deletes = lifetimes.deletes
    val last = deletes.indexFrom(start + rows)
    var at = deletes.indexFrom(start)
    var written = 0
    while (at < last) {
      val end = deletes.snapshotAt(at)
      val position = deletes.positionAt(at)
      val row = (position - start).toInt
      if (range.contains(end) && lifetimes.begin.of(position, snapshots, row) < end) {
        kept(written) = row
        written += 1
      }
      at += 1
    }
    written
  }
}
