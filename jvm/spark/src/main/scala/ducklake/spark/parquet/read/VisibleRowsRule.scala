package ducklake.spark.parquet.read

import ducklake.catalog.model.RowVisibility
import ducklake.catalog.model.SnapshotRange
import ducklake.files.delete.DeletedPositions
import ducklake.files.parquet.ReservedFields
import org.apache.parquet.hadoop.metadata.BlockMetaData
import org.apache.spark.sql.vectorized.ColumnVector

/** Which rows of a file are shown. */
trait RowChoice {

  /** Whether rows are chosen by their position, so that no row group may be read in part. */
  def needsPositions: Boolean

  /** Whether some row may be hidden. */
  def mayHide: Boolean

  /** Whether all rows of the row group are hidden, so that it need not be read. */
  def hidesAll(group: BlockMetaData): Boolean

  /** The place of the embedded snapshot column among the decoded columns, when rows are chosen by
    * it.
    */
  def snapshotOrdinal: Option[Int]

  /** Writes the offsets of the shown rows among `rows` rows from the position `first` on.
    *
    * @param snapshots the vector at [[snapshotOrdinal]]
    * @param kept receives the offsets, ascending; at least `rows` long
    * @return the number of written offsets
    */
  def keep(first: Long, rows: Int, snapshots: Option[ColumnVector], kept: Array[Int]): Int
}

/** Decides which rows of a file are visible.
  *
  * @param run the positions of the visible rows; None: no limit
  * @param embedded the embedded snapshot ids of the visible rows; None: any
  */
final case class VisibleRowsRule(
    deletes: DeletedPositions,
    run: Option[VisibleRowsRule.Positions],
    embedded: Option[VisibleRowsRule.EmbeddedSnapshots],
) extends RowChoice {

  def snapshotOrdinal: Option[Int] = embedded.map(_.ordinal)

  def needsPositions: Boolean = !deletes.isEmpty || run.nonEmpty

  def mayHide: Boolean = needsPositions || embedded.nonEmpty

  /** By positions alone. */
  def hidesAll(group: BlockMetaData): Boolean = {
    val first = group.getRowIndexOffset
    run.exists(rows => rows.end <= first || first + group.getRowCount <= rows.start) ||
    deletes.countIn(first, group.getRowCount).toLong == group.getRowCount
  }

  def keep(
      first: Long,
      rows: Int,
      snapshots: Option[ColumnVector],
      kept: Array[Int],
  ): Int = {
    val reached =
      run.fold(rows)(visible => math.max(0L, math.min(rows.toLong, visible.end - first)).toInt)
    val alive = deletes.keep(first, reached, kept)
    val inRun = run.filter(_.start > first).fold(alive) { visible =>
      from(visible.start - first, kept, alive)
    }
    (snapshots, embedded) match {
      case (Some(vector), Some(wanted)) => among(wanted.snapshots, vector, kept, inRun)
      case _ => inRun
    }
  }

  /** Keeps the offsets from `start` on. They ascend. */
  private def from(start: Long, kept: Array[Int], count: Int): Int = {
    val before = kept.iterator.take(count).takeWhile(_ < start).length
    System.arraycopy(kept, before, kept, 0, count - before)
    count - before
  }

  private def among(
      wanted: SnapshotRange,
      ids: ColumnVector,
      kept: Array[Int],
      count: Int,
  ): Int = {
    // A plain loop: it runs once for every row of a partly visible file.
    val (first, last) = (wanted.first.value, wanted.last.value)
    var index = 0
    var written = 0
    while (index < count) {
      val row = kept(index)
      if (ids.isNullAt(row) || first <= ids.getLong(row) && ids.getLong(row) <= last) {
        kept(written) = row
        written += 1
      }
      index += 1
    }
    written
  }
}

object VisibleRowsRule {

  /** The positions from `start` to before `end`. */
  final case class Positions(start: Long, end: Long)

  /** @param ordinal index of the embedded snapshot column among the columns that are read */
  final case class EmbeddedSnapshots(snapshots: SnapshotRange, ordinal: Int)

  def of(part: FilePart, deletes: DeletedPositions, plan: FilePlan): VisibleRowsRule = {
    val everything = VisibleRowsRule(deletes, None, None)
    part.visibility match {
      case RowVisibility.All => everything
      case RowVisibility.Runs(start, end, _) =>
        if (start == 0 && end >= part.recordCount) everything
        else everything.copy(run = Some(Positions(start, end)))
      case RowVisibility.Embedded(snapshots) =>
        plan.extras.find(_.fieldId == ReservedFields.snapshotId).fold(everything) { column =>
          val wanted = EmbeddedSnapshots(snapshots, plan.ordinalOf(column))
          everything.copy(embedded = Some(wanted))
        }
    }
  }
}
