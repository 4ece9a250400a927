package ducklake.spark.parquet.read

import ducklake.catalog.model.RowVisibility
import ducklake.files.DeletedPositions
import ducklake.files.ReservedFields
import org.apache.parquet.hadoop.metadata.BlockMetaData
import org.apache.spark.sql.vectorized.ColumnVector

/** Which rows of a file are shown.
  *
  * @param end positions from here on are not seen
  * @param snapshotLimit rows whose embedded snapshot is above it are not seen
  */
final case class VisibleRows(
    deletes: DeletedPositions,
    end: Option[Long],
    snapshotLimit: Option[VisibleRows.SnapshotLimit],
) {

  /** Whether rows are told by their position. */
  def needsPositions: Boolean = !deletes.isEmpty || end.nonEmpty

  /** Whether some row may be hidden. */
  def mayHide: Boolean = needsPositions || snapshotLimit.nonEmpty

  def hidesAll(group: BlockMetaData): Boolean = {
    val first = group.getRowIndexOffset
    end.exists(_ <= first) || deletes.countIn(first, group.getRowCount).toLong == group.getRowCount
  }

  /** Writes the offsets of the rows shown among `rows` rows from `first` on; gives their number. */
  def keep(first: Long, rows: Int, ids: Option[ColumnVector], kept: Array[Int]): Int = {
    val reached = end.fold(rows)(limit => math.max(0L, math.min(rows.toLong, limit - first)).toInt)
    val alive = deletes.keep(first, reached, kept)
    (ids, snapshotLimit) match {
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

object VisibleRows {

  /** @param ordinal of the embedded snapshot column among those read */
  final case class SnapshotLimit(snapshot: Long, ordinal: Int)

  def of(part: FilePart, deletes: DeletedPositions, plan: FilePlan): VisibleRows = {
    val everything = VisibleRows(deletes, None, None)
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
