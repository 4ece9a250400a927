package ducklake.spark.changes.task

import ducklake.spark.parquet.rowgroup.RowChoice
import ducklake.spark.parquet.vector.BatchPositions
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

  def mayHide: Boolean = mayEndAtBegin || !allBegin

  def hidesAll(group: BlockMetaData): Boolean = false

  def keep(positions: BatchPositions, snapshots: Option[ColumnVector], kept: Array[Int]): Int = {
    // A plain loop: it runs once for every row of a file with rows of several snapshots.
    var row = 0
    var written = 0
    while (row < positions.rows) {
      val position = positions(row)
      val begin = lifetimes.begin.of(position, snapshots, row)
      if (range.contains(begin) && (!mayEndAtBegin || lifetimes.endOf(position) > begin)) {
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

  def mayHide: Boolean = true

  def hidesAll(group: BlockMetaData): Boolean =
    !lifetimes.mayEndIn(group.getRowIndexOffset, group.getRowCount, range)

  def keep(positions: BatchPositions, snapshots: Option[ColumnVector], kept: Array[Int]): Int =
    if (range.contains(lifetimes.fileEnd)) keepEnded(positions, snapshots, kept)
    else keepDeleted(positions, snapshots, kept)

  /** Every row of the file ends. */
  private def keepEnded(
      positions: BatchPositions,
      snapshots: Option[ColumnVector],
      kept: Array[Int],
  ): Int = {
    // A plain loop: it runs once for every row of a file that was ended.
    var row = 0
    var written = 0
    while (row < positions.rows) {
      val end = lifetimes.endOf(positions(row))
      if (range.contains(end) && lifetimes.begin.of(positions(row), snapshots, row) < end) {
        kept(written) = row
        written += 1
      }
      row += 1
    }
    written
  }

  /** Only rows at deleted positions end. */
  private def keepDeleted(
      positions: BatchPositions,
      snapshots: Option[ColumnVector],
      kept: Array[Int],
  ): Int = {
    // A plain loop: it runs once for every deleted position.
    val deletes = lifetimes.deletes
    val last = deletes.indexFrom(positions(positions.rows - 1) + 1)
    var at = deletes.indexFrom(positions(0))
    var row = 0
    var written = 0
    while (at < last) {
      val end = deletes.snapshotAt(at)
      val position = deletes.positionAt(at)
      while (positions(row) < position) row += 1
      val isRead = positions(row) == position
      if (isRead && range.contains(end) && lifetimes.begin.of(position, snapshots, row) < end) {
        kept(written) = row
        written += 1
      }
      at += 1
    }
    written
  }
}
