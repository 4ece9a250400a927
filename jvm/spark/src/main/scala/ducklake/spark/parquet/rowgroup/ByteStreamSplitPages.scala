package ducklake.spark.parquet.rowgroup

import org.apache.parquet.bytes.BytesInput
import org.apache.parquet.column.ColumnDescriptor
import org.apache.parquet.column.Encoding
import org.apache.parquet.column.page.DataPage
import org.apache.parquet.column.page.DataPageV1
import org.apache.parquet.column.page.DataPageV2
import org.apache.parquet.column.page.DictionaryPage
import org.apache.parquet.column.page.PageReadStore
import org.apache.parquet.column.page.PageReader
import org.apache.parquet.hadoop.metadata.BlockMetaData
import org.apache.parquet.schema.PrimitiveType
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName

import java.util.Optional
import java.util.PrimitiveIterator

import scala.jdk.CollectionConverters.*

/** Rewrites pages in the encoding BYTE_STREAM_SPLIT, which DuckDB uses for floats with
  * `parquet_version` 2. Spark's reader does not know this encoding, so it gets the same values in
  * the plain encoding.
  *
  * Source: Parquet format, Encodings, byte stream split.
  */
object ByteStreamSplitPages {

  def isUsedIn(groups: Vector[BlockMetaData]): Boolean =
    groups.exists(_.getColumns.asScala.exists(_.getEncodings.contains(Encoding.BYTE_STREAM_SPLIT)))

  /** The pages of a row group, with the values of split pages in the plain encoding. */
  def plain(pages: PageReadStore): PageReadStore = new PlainPageStore(pages)

  /** The values in the plain encoding. `split` holds values of `width` bytes as streams: first the
    * first bytes of all values, then the second bytes, and so on.
    */
  def plainValues(split: Array[Byte], width: Int): Array[Byte] = {
    // A plain loop: it runs once for every byte of a column.
    val count = split.length / width
    val plain = new Array[Byte](split.length)
    var stream = 0
    while (stream < width) {
      var value = 0
      while (value < count) {
        plain(value * width + stream) = split(stream * count + value)
        value += 1
      }
      stream += 1
    }
    plain
  }
}

/** The pages of a row group, rewritten by [[PlainPageReader]]. */
private final class PlainPageStore(below: PageReadStore) extends PageReadStore {
  override def getPageReader(column: ColumnDescriptor): PageReader =
    new PlainPageReader(below.getPageReader(column), column)

  override def getRowCount: Long = below.getRowCount
  override def getRowIndexOffset: Optional[java.lang.Long] = below.getRowIndexOffset
  override def getRowIndexes: Optional[PrimitiveIterator.OfLong] = below.getRowIndexes
  override def close(): Unit = below.close()
}

/** The pages of a column, of which split pages are rewritten to the plain encoding. */
private final class PlainPageReader(below: PageReader, column: ColumnDescriptor)
    extends PageReader {

  override def readDictionaryPage(): DictionaryPage = below.readDictionaryPage()
  override def getTotalValueCount: Long = below.getTotalValueCount

  override def readPage(): DataPage =
    below.readPage() match {
      case page: DataPageV1 if page.getValueEncoding == Encoding.BYTE_STREAM_SPLIT =>
        plainPage(page)
      case page: DataPageV2 if page.getDataEncoding == Encoding.BYTE_STREAM_SPLIT =>
        plainPage(page)
      case other => other
    }

  private def plainPage(page: DataPageV2): DataPage =
    DataPageV2.uncompressed(
      page.getRowCount,
      page.getNullCount,
      page.getValueCount,
      firstRow(page),
      page.getRepetitionLevels,
      page.getDefinitionLevels,
      Encoding.PLAIN,
      BytesInput.from(
        ByteStreamSplitPages.plainValues(page.getData.toInputStream.readAllBytes(), width)
      ),
      page.getStatistics,
    )

  private def plainPage(page: DataPageV1): DataPage = {
    val bytes = page.getBytes.toInputStream.readAllBytes()
    val levels = levelsEnd(bytes)
    val values = ByteStreamSplitPages.plainValues(bytes.drop(levels), width)
    new DataPageV1(
      BytesInput.concat(BytesInput.from(bytes.take(levels)), BytesInput.from(values)),
      page.getValueCount,
      page.getUncompressedSize,
      firstRow(page),
      page.getIndexRowCount.orElse(page.getValueCount),
      page.getStatistics,
      page.getRlEncoding,
      page.getDlEncoding,
      Encoding.PLAIN,
    )
  }

  /** The index of the page's first row; 0 when it is unknown, as in Spark. */
  private def firstRow(page: DataPage): Long = page.getFirstRowIndex.orElse(0L)

  /** The offset of the values. Repetition and definition levels come before them, each with its
    * length in four bytes.
    */
  private def levelsEnd(bytes: Array[Byte]): Int =
    Seq(column.getMaxRepetitionLevel, column.getMaxDefinitionLevel).filter(_ > 0).foldLeft(0) {
      (at, _) => at + 4 + java.nio.ByteBuffer.wrap(bytes).order(PlainPageReader.order).getInt(at)
    }

  private def width: Int = {
    val stored: PrimitiveType = column.getPrimitiveType
    stored.getPrimitiveTypeName match {
      case PrimitiveTypeName.INT32 | PrimitiveTypeName.FLOAT => 4
      case PrimitiveTypeName.FIXED_LEN_BYTE_ARRAY => stored.getTypeLength
      case _ => 8
    }
  }
}

private object PlainPageReader {
  val order: java.nio.ByteOrder = java.nio.ByteOrder.LITTLE_ENDIAN
}
