package ducklake.spark.parquet.read

import ducklake.catalog.model.RowVisibility
import ducklake.catalog.model.SnapshotRange
import ducklake.files.delete.DeletedPositions
import ducklake.files.parquet.ReservedFields
import ducklake.spark.parquet.vector.BatchPositions
import ducklake.spark.parquet.rowgroup.RowChoice
import org.apache.parquet.hadoop.metadata.BlockMetaData
import org.apache.spark.sql.vectorized.ColumnVector

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

  def mayHide: Boolean = !deletes.isEmpty || run.nonEmpty || embedded.nonEmpty

  /** By positions alone. */
  def hidesAll(group: BlockMetaData): Boolean = {
    val first = group.getRowIndexOffset
    run.exists(rows => rows.end <= first || first + group.getRowCount <= rows.start) ||
    deletes.countIn(first, group.getRowCount).toLong == group.getRowCount
  }

  def keep(positions: BatchPositions, snapshots: Option[ColumnVector], kept: Array[Int]): Int = {
    val alive = deletes.keep(positions.all, positions.rows, kept)
    val inRun = run.fold(alive)(within(_, positions, kept, alive))
    (snapshots, embedded) match {
      case (Some(vector), Some(wanted)) => among(wanted.snapshots, vector, kept, inRun)
      case _ => inRun
    }
  }

  private def within(
      visible: VisibleRowsRule.Positions,
      positions: BatchPositions,
      kept: Array[Int],
      count: Int,
  ): Int = {
    // A plain loop: it runs once for every row of a partly visible file.
    var index = 0
    var written = 0
    while (index < count) {
      val position = positions(kept(index))
      if (visible.start <= position && position < visible.end) {
        kept(written) = kept(index)
        written += 1
      }
      index += 1
    }
    written
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
