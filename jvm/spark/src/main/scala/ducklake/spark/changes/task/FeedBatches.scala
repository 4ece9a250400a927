package ducklake.spark.changes.task

import ducklake.catalog.error.LakeError
import ducklake.catalog.error.LakeException
import ducklake.catalog.model.RepeatedRowIds
import ducklake.spark.changes.ChangeSide
import ducklake.spark.changes.FeedColumn
import ducklake.spark.changes.SharedRowIds
import ducklake.spark.parquet.vector.LongsVector
import ducklake.spark.parquet.vector.TextsVector
import org.apache.spark.sql.types.LongType
import org.apache.spark.sql.types.TimestampType
import org.apache.spark.sql.vectorized.ColumnVector
import org.apache.spark.sql.vectorized.ColumnarBatch

/** Makes batches of a feed's columns from batches of one side. A batch is valid until the next one
  * is made.
  *
  * @param capacity the largest number of rows of a batch
  */
private[changes] final class FeedBatches(spec: FeedSpec, capacity: Int) {

  private val hasSnapshots = spec.columns.contains(FeedColumn.Snapshot)
  private val hasTimes = spec.columns.contains(FeedColumn.CommitTime)

  private val hasTypes = spec.columns.exists {
    case FeedColumn.ChangeType | FeedColumn.PlainChangeType => true
    case _ => false
  }

  private val snapshots = new LongsVector(LongType, if (hasSnapshots) capacity else 0)
  private val times = new LongsVector(TimestampType, if (hasTimes) capacity else 0)
  private val types = new TextsVector(FeedBatches.types, if (hasTypes) capacity else 0)

  /** Whether the row ids of changes with these partners are needed. */
  def wantsRowIds(partners: Partners): Boolean =
    spec.columns.contains(FeedColumn.RowId) || (hasTypes && !partners.isEmpty)

  /** @param others the row ids that the same snapshots changed on the other side */
  def of(batch: SideBatch, others: Option[RowIdsBySnapshot]): ColumnarBatch = {
    val rows = batch.rows.numRows()
    if (hasSnapshots) fillSnapshots(batch, rows)
    if (hasTimes) fillTimes(batch, rows)
    if (hasTypes) fillTypes(batch, rows, others)
    if (spec.sharedRowIds == SharedRowIds.Refused)
      batch.rowIds.foreach(refuseShared(_, rows))
    val data = Iterator.from(0)
    val columns = spec.columns.map[ColumnVector] {
      case FeedColumn.Snapshot => snapshots
      case FeedColumn.RowId =>
        batch.rowIds.getOrElse(throw new IllegalStateException("the row ids were not read"))
      case FeedColumn.ChangeType | FeedColumn.PlainChangeType => types
      case FeedColumn.CommitTime => times
      case FeedColumn.Data(_) => batch.rows.column(data.next())
    }
    new ColumnarBatch(columns.toArray, rows)
  }

  /** Errors: Unsupported when several rows may share one of the row ids. */
  private def refuseShared(rowIds: ColumnVector, rows: Int): Unit = {
    // A plain loop: it runs once for every row of the feed.
    var row = 0
    while (row < rows) {
      if (RepeatedRowIds.contains(rowIds.getLong(row))) {
        val what = s"A row of ${spec.table} has the row id ${rowIds.getLong(row)}, which other " +
          "rows may have too, because DuckDB inserted and updated it in one transaction: finding " +
          "net changes by it"
        val hint =
          "Ask for `deduplicationMode = 'dropCarryovers'`, or for a range without this row."
        throw new LakeException(LakeError.Unsupported(what, hint))
      }
      row += 1
    }
  }

  private def fillSnapshots(batch: SideBatch, rows: Int): Unit = {
    // A plain loop: it runs once for every row of the feed.
    var row = 0
    while (row < rows) {
      snapshots.values(row) = batch.snapshots(row)
      row += 1
    }
  }

  private def fillTimes(batch: SideBatch, rows: Int): Unit = {
    // A plain loop: it runs once for every row of the feed. Neighbours mostly have the same
    // snapshot.
    var row = 0
    var (snapshot, time) = (-1L, 0L)
    while (row < rows) {
      val next = batch.snapshots(row)
      if (next != snapshot) {
        snapshot = next
        time = spec.times(next)
      }
      times.values(row) = time
      row += 1
    }
  }

  private def fillTypes(batch: SideBatch, rows: Int, others: Option[RowIdsBySnapshot]): Unit = {
    val alone = FeedBatches.indexOf(batch.side)
    // A plain loop: it runs once for every row of the feed.
    var row = 0
    (others, batch.rowIds) match {
      case (Some(images), Some(rowIds)) =>
        val cursor = images.cursor
        while (row < rows) {
          val isUpdate = cursor.contains(batch.snapshots(row), rowIds.getLong(row))
          types.indexes(row) = if (isUpdate) alone + 2 else alone
          row += 1
        }
      case _ => java.util.Arrays.fill(types.indexes, 0, rows, alone)
    }
  }
}

private[changes] object FeedBatches {
  private val types = Vector("insert", "delete", "update_postimage", "update_preimage")

  /** The possible types of changes of a side. */
  def typesOf(side: ChangeSide): Vector[String] =
    Vector(types(indexOf(side)), types(indexOf(side) + 2))

  /** The index of the type of a change that is not part of an update; the index for an image of an
    * update is greater by 2.
    */
  private def indexOf(side: ChangeSide): Int = side match {
    case ChangeSide.Insertion => 0
    case ChangeSide.Deletion => 1
  }
}
