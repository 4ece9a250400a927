package ducklake.spark.parquet.rowgroup

import ducklake.files.store.PartialGroups
import ducklake.files.store.RowRuns
import ducklake.spark.parquet.vector.BatchPositions
import org.apache.parquet.column.page.PageReadStore
import org.apache.parquet.hadoop.ParquetFileReader
import org.apache.parquet.hadoop.metadata.BlockMetaData
import org.apache.spark.sql.execution.datasources.parquet.VectorizedParquetRecordReader
import org.apache.spark.sql.vectorized.ColumnarBatch

/** Decodes row groups, or some of their rows, with Spark's reader. For one thread.
  *
  * @param under gives the pages
  * @param groups the row groups that `under` has
  * @param nesting of the columns that are read
  * @param capacity the most rows in a batch
  */
private[parquet] final class GroupReader private (
    reader: VectorizedParquetRecordReader,
    val under: ParquetFileReader,
    groups: Vector[BlockMetaData],
    nesting: Nesting,
    capacity: Int,
) extends AutoCloseable {

  private val hasSplitPages = ByteStreamSplitPages.isUsedIn(groups)
  private var pages = Option.empty[PageReadStore]
  private var left = 0L

  /** The positions of the current batch. */
  val positions: BatchPositions = new BatchPositions(capacity)

  /** Whether some rows of a row group can be decoded without the others. The rows of a page have to
    * be known: the file says them, or each value is a row.
    */
  def canSkip(group: Int): Boolean =
    PartialGroups.hasSkippableValues(groups(group)) &&
      (PartialGroups.hasPagePlaces(groups(group)) || nesting != Nesting.Repeated)

  /** Whether so few rows of a row group are decoded at no cost for those between them. */
  def isFew(group: Int, rows: RowRuns): Boolean =
    nesting == Nesting.Flat && DensePages.areWorthwhile(rows, groups(group).getRowCount)

  /** Begins with rows of a row group, whether or not the rows of the last one have been decoded.
    *
    * @param rows not empty; all rows where [[canSkip]] is false
    *
    * Errors: errors of Parquet and of the storage.
    */
  def start(group: Int, rows: RowRuns): Unit = {
    if (left > 0) SparkRowGroups.leave(reader)
    closePages()
    val described = groups(group)
    pages = Some(
      if (rows.areAll(described.getRowCount)) plain(under.readRowGroup(group))
      else some(group, rows)
    )
    left = rows.rows
    positions.startGroup(described.getRowIndexOffset, rows)
  }

  private def some(group: Int, rows: RowRuns): PageReadStore = {
    val hasPlaces = PartialGroups.hasPagePlaces(groups(group))
    val read = plain(
      if (hasPlaces) PartialGroups.pages(under, group, rows) else under.readRowGroup(group)
    )
    if (isFew(group, rows)) new DensePages(read, rows)
    else if (hasPlaces) read
    else new NumberedPages(read, rows)
  }

  private def plain(read: PageReadStore): PageReadStore =
    if (hasSplitPages) ByteStreamSplitPages.plain(read) else read

  /** Decodes the next batch of the row group; false when it has no more rows. */
  def next(): Boolean =
    if (left == 0) false
    else {
      val isRead = reader.nextKeyValue()
      assert(isRead, "rows are left")
      positions.advance(batch.numRows)
      left -= batch.numRows
      true
    }

  /** Spark's reader fills the same vectors for each batch. */
  def batch: ColumnarBatch = reader.resultBatch()

  override def close(): Unit =
    try closePages()
    finally reader.close()

  private def closePages(): Unit = {
    pages.foreach(_.close())
    pages = None
  }
}

private[parquet] object GroupReader {

  /** Takes an initialized reader of Spark. */
  def of(
      reader: VectorizedParquetRecordReader,
      groups: Vector[BlockMetaData],
      nesting: Nesting,
      capacity: Int,
  ): GroupReader = {
    var made: GroupReader = null
    val under = SparkRowGroups.replaceIn(reader)(() => made.pages.get)
    made = new GroupReader(reader, under, groups, nesting, capacity)
    reader.enableReturningBatches()
    made
  }
}
