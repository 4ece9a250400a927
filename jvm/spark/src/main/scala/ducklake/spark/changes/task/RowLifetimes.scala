package ducklake.spark.changes.task

import ducklake.files.delete.SnapshotPositions
import org.apache.spark.sql.vectorized.ColumnVector

import java.util.Arrays

/** The snapshots at which the rows of a data file begin and end. For one thread.
  *
  * @param begin how a row's begin is found
  * @param deletes the positions of deleted rows
  * @param fileEnd the snapshot that ended the file; `Long.MaxValue` when the file is live
  *
  * Source: decision 10.
  */
private[changes] final class RowLifetimes(
    val begin: RowBegin,
    val deletes: SnapshotPositions,
    val fileEnd: Long,
) {

  private val cursor = deletes.cursor

  /** The smallest snapshot that ends a row; `Long.MaxValue` when none does. */
  val firstEnd: Long = math.min(deletes.firstSnapshot, fileEnd)

  /** The snapshot at which the row at the position ends; `Long.MaxValue` when it does not. */
  def endOf(position: Long): Long = math.min(cursor.snapshotOf(position), fileEnd)

  /** Whether a row among the `rows` rows from `position` on may end at a snapshot of the range. */
  def mayEndIn(position: Long, rows: Long, range: FeedRange): Boolean =
    range.contains(fileEnd) || deletes.anyIn(position, rows, range.first, range.last)
}

/** The snapshots of a feed as numbers, both included. Tasks compare them once for each row.
  *
  * @param hidden snapshots of the range whose changes are left out, ascending
  */
private[changes] final case class FeedRange(first: Long, last: Long, hidden: Array[Long]) {
  private val hasHidden = hidden.nonEmpty

  def contains(snapshot: Long): Boolean =
    first <= snapshot && snapshot <= last &&
      !(hasHidden && Arrays.binarySearch(hidden, snapshot) >= 0)
}

/** How the begin snapshot of a row is found. */
private[changes] sealed trait RowBegin extends Serializable {

  /** @param embedded the embedded snapshots of the batch, where the file has them
    * @param row the offset in the batch
    */
  def of(position: Long, embedded: Option[ColumnVector], row: Int): Long
}

private[changes] object RowBegin {

  /** All rows begin at one snapshot. */
  final case class Same(snapshot: Long) extends RowBegin {
    def of(position: Long, embedded: Option[ColumnVector], row: Int): Long = snapshot
  }

  /** The file has a column with the snapshot. A row without a snapshot begins with the file. */
  final case class Embedded(fileBegin: Long) extends RowBegin {
    def of(position: Long, embedded: Option[ColumnVector], row: Int): Long =
      embedded match {
        case Some(vector) if !vector.isNullAt(row) => vector.getLong(row)
        case _ => fileBegin
      }
  }

  /** Runs of rows, one for each snapshot.
    *
    * @param ends the number of rows up to the end of each run, increasing
    */
  final case class Runs(snapshots: Array[Long], ends: Array[Long]) extends RowBegin {
    def of(position: Long, embedded: Option[ColumnVector], row: Int): Long = {
      val found = Arrays.binarySearch(ends, position + 1)
      val run = if (found >= 0) found else -found - 1
      snapshots(math.min(run, snapshots.length - 1))
    }
  }
}
