package ducklake.spark.parquet.rowgroup

import ducklake.files.store.RowRuns
import org.apache.parquet.bytes.BytesInput
import org.apache.parquet.column.ColumnDescriptor
import org.apache.parquet.column.Encoding
import org.apache.parquet.column.page.DataPage
import org.apache.parquet.column.page.DataPageV1
import org.apache.parquet.column.page.DataPageV2
import org.apache.parquet.column.page.DictionaryPage
import org.apache.parquet.column.page.PageReadStore
import org.apache.parquet.column.page.PageReader

import java.nio.ByteBuffer
import java.nio.ByteOrder
import java.util.Optional
import java.util.PrimitiveIterator

/** Pages of exactly the selected rows, taken out of the encoded pages. For Spark's reader to skip a
  * row costs as much as to decode it; here only the way to a selected row costs something. No column
  * may be nested.
  *
  * @param below its pages say their first rows, or are all pages of the row group
  * @param rows not empty
  */
private[parquet] final class DensePages(below: PageReadStore, rows: RowRuns) extends PageReadStore {

  private val selected = DensePages.numbers(rows)

  override def getPageReader(column: ColumnDescriptor): PageReader = {
    assert(DensePages.isFlat(column), "nested values are not counted")
    new DensePageReader(below.getPageReader(column), column, selected)
  }

  override def getRowCount: Long = rows.rows
  override def getRowIndexOffset: Optional[java.lang.Long] = below.getRowIndexOffset
  override def getRowIndexes: Optional[PrimitiveIterator.OfLong] = Optional.empty
  override def close(): Unit = below.close()
}

private[parquet] object DensePages {

  /** One of so many rows at most: otherwise to take rows out costs more than to decode all. */
  private val Share = 32

  def areWorthwhile(rows: RowRuns, groupRows: Long): Boolean = rows.rows * Share <= groupRows

  private def isFlat(column: ColumnDescriptor): Boolean =
    column.getMaxRepetitionLevel == 0 && column.getMaxDefinitionLevel <= 1

  private def numbers(rows: RowRuns): Array[Int] = {
    val each = rows.iterator
    Array.fill(rows.rows.toInt)(Math.toIntExact(each.nextLong()))
  }
}

/** @param selected rows of the row group, ascending
  */
private final class DensePageReader(
    below: PageReader,
    column: ColumnDescriptor,
    selected: Array[Int],
) extends PageReader {

  private val isOptional = column.getMaxDefinitionLevel == 1

  /** The row behind the pages that have been read, and how many of the selected are before it. */
  private var row = 0L
  private var passed = 0

  override def readDictionaryPage(): DictionaryPage = below.readDictionaryPage()
  override def getTotalValueCount: Long = below.getTotalValueCount

  @annotation.tailrec
  override def readPage(): DataPage =
    below.readPage() match {
      case page: DataPage =>
        val first = page.getFirstRowIndex.orElse(row)
        row = first + page.getValueCount
        val from = passed
        while (passed < selected.length && selected(passed) < row) passed += 1
        if (passed == from) readPage() else dense(page, first.toInt, from)
      case none => none
    }

  /** The selected rows from `from` to before `passed` of a page that begins with row `first`. */
  private def dense(page: DataPage, first: Int, from: Int): DataPage =
    page match {
      case one: DataPageV1 if isOptional && one.getDlEncoding != Encoding.RLE =>
        one // Spark's reader refuses it
      case one: DataPageV1 =>
        val bytes = littleEndian(one.getBytes)
        val levels = if (isOptional) 4 + bytes.getInt(0) else 0
        cut(slice(bytes, 4), slice(bytes, levels), one.getValueEncoding, first, from)
      case two: DataPageV2 =>
        val levels = littleEndian(two.getDefinitionLevels)
        cut(levels, littleEndian(two.getData), two.getDataEncoding, first, from)
      case other => throw new IllegalStateException(s"not a page of Parquet's library: $other")
    }

  private def cut(
      levels: => ByteBuffer,
      values: ByteBuffer,
      encoding: Encoding,
      first: Int,
      from: Int,
  ): DataPage = {
    val places = new Array[Int](passed - from)
    val (present, written) =
      if (isOptional) presence(levels, places, first, from)
      else {
        places.indices.foreach(index => places(index) = selected(from + index) - first)
        (places.length, BytesInput.empty)
      }
    val kept = new SelectedValues(places, present).of(values, encoding, column.getPrimitiveType)
    val bytes = BytesInput.concat(written, kept)
    new DataPageV1(
      bytes,
      places.length,
      bytes.size.toInt,
      null,
      Encoding.RLE,
      Encoding.RLE,
      encoding,
    )
  }

  /** Writes to `places` which of the page's values the selected rows have.
    *
    * @return the number of these values, and the levels of the selected rows behind their length
    */
  private def presence(
      levels: ByteBuffer,
      places: Array[Int],
      first: Int,
      from: Int,
  ): (Int, BytesInput) = {
    val runs = new HybridRuns(levels, 0, 1)
    val encoder = SelectedValues.encoder(1)
    var present = 0
    var index = from
    while (index < passed) {
      val offset = selected(index) - first
      val before = runs.onesBefore(offset)
      val level = runs(offset)
      encoder.writeInt(level)
      if (level == 1) {
        places(present) = before
        present += 1
      }
      index += 1
    }
    val written = encoder.toBytes
    (present, BytesInput.concat(BytesInput.fromInt(written.size.toInt), written))
  }

  private def littleEndian(bytes: BytesInput): ByteBuffer =
    slice(bytes.toInputStream.slice(bytes.size.toInt), 0)

  private def slice(bytes: ByteBuffer, from: Int): ByteBuffer =
    bytes.slice(bytes.position() + from, bytes.remaining - from).order(ByteOrder.LITTLE_ENDIAN)
}
