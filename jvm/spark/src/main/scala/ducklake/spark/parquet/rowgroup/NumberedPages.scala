package ducklake.spark.parquet.rowgroup

import ducklake.files.store.RowRuns
import org.apache.parquet.column.ColumnDescriptor
import org.apache.parquet.column.page.DataPage
import org.apache.parquet.column.page.DataPageV1
import org.apache.parquet.column.page.DataPageV2
import org.apache.parquet.column.page.DictionaryPage
import org.apache.parquet.column.page.PageReadStore
import org.apache.parquet.column.page.PageReader

import java.util.Optional
import java.util.PrimitiveIterator

/** All pages of a row group, of which Spark's reader decodes only some rows. For files that do not
  * say where their pages begin, as those of DuckDB: the pages' rows are counted here. No column may
  * be repeated, because a page of such a column does not say how many rows it has.
  */
private[parquet] final class NumberedPages(below: PageReadStore, rows: RowRuns)
    extends PageReadStore {

  override def getPageReader(column: ColumnDescriptor): PageReader = {
    assert(column.getMaxRepetitionLevel == 0, "repeated values are not counted")
    new NumberedPageReader(below.getPageReader(column))
  }

  override def getRowCount: Long = rows.rows
  override def getRowIndexOffset: Optional[java.lang.Long] = below.getRowIndexOffset
  override def getRowIndexes: Optional[PrimitiveIterator.OfLong] = Optional.of(rows.iterator)
  override def close(): Unit = below.close()
}

private final class NumberedPageReader(below: PageReader) extends PageReader {

  private var next = 0L

  override def readDictionaryPage(): DictionaryPage = below.readDictionaryPage()
  override def getTotalValueCount: Long = below.getTotalValueCount

  override def readPage(): DataPage = {
    val first = next
    below.readPage() match {
      case page: DataPageV1 =>
        next += page.getValueCount
        new DataPageV1(
          page.getBytes,
          page.getValueCount,
          page.getUncompressedSize,
          first,
          page.getValueCount,
          page.getStatistics,
          page.getRlEncoding,
          page.getDlEncoding,
          page.getValueEncoding,
        )
      case page: DataPageV2 =>
        next += page.getRowCount
        DataPageV2.uncompressed(
          page.getRowCount,
          page.getNullCount,
          page.getValueCount,
          first,
          page.getRepetitionLevels,
          page.getDefinitionLevels,
          page.getDataEncoding,
          page.getData,
          page.getStatistics,
        )
      case none => none
    }
  }
}
