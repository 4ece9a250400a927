package ducklake.spark.parquet.read

import ducklake.catalog.model.RowVisibility
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
  * @param end the first position after the visible rows; None: no limit
  * @param snapshotLimit rows whose embedded snapshot id is greater are not visible
  */
final case class VisibleRowsRule(
    deletes: DeletedPositions,
    end: Option[Long],
    snapshotLimit: Option[VisibleRowsRule.SnapshotLimit],
) extends RowChoice {

  def snapshotOrdinal: Option[Int] = snapshotLimit.map(_.ordinal)

  def needsPositions: Boolean = !deletes.isEmpty || end.nonEmpty

  def mayHide: Boolean = needsPositions || snapshotLimit.nonEmpty

  /** By positions alone. */
  def hidesAll(group: BlockMetaData): Boolean = {
    val first = group.getRowIndexOffset
    end.exists(_ <= first) || deletes.countIn(first, group.getRowCount).toLong == group.getRowCount
  }

  def keep(
      first: Long,
      rows: Int,
      snapshots: Option[ColumnVector],
      kept: Array[Int],
  ): Int = {
    val reached = end.fold(rows)(limit => math.max(0L, math.min(rows.toLong, limit - first)).toInt)
    val alive = deletes.keep(first, reached, kept)
    (snapshots, snapshotLimit) match {
      case (Some(vector), Some(limit)) => upTo(vector, limit.snapshot, kept, alive)
      case _ => alive
    }
  }

  private def upTo(ids: ColumnVector, limit: Long, kept: Array[Int], count: Int): Int = {
    // A plain loop: it runs once for every row of a partly visible file.
    var index = 0
    var written = 0
    while (index < count) {
      val row = kept(index)
      if (ids.isNullAt(row) || ids.getLong(row) <= limit) {
        kept(written) = row
        written += 1
      }
      index += 1
    }
    written
  }
}

object VisibleRowsRule {

  /** @param ordinal index of the embedded snapshot column among the columns that are read */
  final case class SnapshotLimit(snapshot: Long, ordinal: Int)

  def of(part: FilePart, deletes: DeletedPositions, plan: FilePlan): VisibleRowsRule = {
    val everything = VisibleRowsRule(deletes, None, None)
    part.visibility match {
      case RowVisibility.All => everything
      case RowVisibility.Prefix(rows, _) =>
        if (rows < part.recordCount) everything.copy(end = Some(rows)) else everything
      case RowVisibility.Embedded(snapshot) =>
        plan.extras.find(_.fieldId == ReservedFields.snapshotId).fold(everything) { column =>
          val limit = SnapshotLimit(snapshot.value, plan.ordinalOf(column))
          everything.copy(snapshotLimit = Some(limit))
        }
    }
  }
}
