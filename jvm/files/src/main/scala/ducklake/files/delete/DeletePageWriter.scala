package ducklake.files.delete

import org.apache.hadoop.conf.Configuration
import org.apache.parquet.bytes.BytesInput
import org.apache.parquet.bytes.HeapByteBufferAllocator
import org.apache.parquet.column.ColumnDescriptor
import org.apache.parquet.column.Encoding
import org.apache.parquet.column.ParquetProperties
import org.apache.parquet.column.page.DictionaryPage
import org.apache.parquet.column.statistics.Statistics
import org.apache.parquet.column.values.plain.PlainValuesWriter
import org.apache.parquet.hadoop.CodecFactory
import org.apache.parquet.hadoop.ParquetFileWriter
import org.apache.parquet.hadoop.ParquetWriter
import org.apache.parquet.hadoop.metadata.CompressionCodecName
import org.apache.parquet.io.OutputFile
import org.apache.parquet.io.api.Binary
import org.apache.parquet.schema.MessageType

import java.util.Collections

/** Writes a Parquet file whose first column has the same text in all rows, and whose other columns
  * are numbers without NULL. It writes the pages itself, because Parquet's own writer spends nine
  * tenths of its time on hashing and comparing the text for every row.
  *
  * @param schema the column of the text, then the columns of the numbers
  */
private final class DeletePageWriter(
    file: OutputFile,
    schema: MessageType,
    text: String,
    conf: Configuration,
) extends AutoCloseable {
  import DeletePageWriter.*

  private val codecs = new CodecFactory(conf, ParquetProperties.DEFAULT_PAGE_SIZE)
  private val compressor = codecs.getCompressor(CompressionCodecName.SNAPPY)
  private val out = new ParquetFileWriter(
    file,
    schema,
    ParquetFileWriter.Mode.CREATE,
    ParquetWriter.DEFAULT_BLOCK_SIZE.toLong,
    ParquetWriter.MAX_PADDING_SIZE_DEFAULT,
    ParquetProperties.DEFAULT_COLUMN_INDEX_TRUNCATE_LENGTH,
    ParquetProperties.DEFAULT_STATISTICS_TRUNCATE_LENGTH,
    ParquetProperties.DEFAULT_PAGE_WRITE_CHECKSUM_ENABLED,
  )
  out.start()

  private var rows = 0
  private var groups = 0L

  /** The columns after the text. */
  val numbers: Vector[Numbers] =
    (1 until schema.getColumns.size).map(at => new Numbers(schema.getColumns.get(at))).toVector

  /** Ends a row. All number columns must have got their value. */
  def next(): Unit = {
    rows += 1
    if (rows == RowGroupRows) writeGroup()
  }

  /** Writes the remaining rows and the footer. */
  def end(): Unit = {
    if (rows > 0) writeGroup()
    out.end(Collections.emptyMap[String, String]())
  }

  /** How many row groups the file has; only after [[end]]. */
  def rowGroups: Long = groups

  override def close(): Unit =
    try out.close()
    finally codecs.release()

  private def writeGroup(): Unit = {
    out.startBlock(rows.toLong)
    writeText(schema.getColumns.get(0))
    numbers.foreach { column =>
      out.startColumn(column.descriptor, rows.toLong, CompressionCodecName.SNAPPY)
      writePage(column.statistics, Encoding.PLAIN, column.values.getBytes)
      out.endColumn()
      column.clear()
    }
    out.endBlock()
    rows = 0
    groups += 1
  }

  /** Writes a dictionary with the text, and one run with the index 0 for all rows. */
  private def writeText(column: ColumnDescriptor): Unit = {
    val value = Binary.fromString(text)
    val plain = new PlainValuesWriter(SlabSize, SlabSize, new HeapByteBufferAllocator)
    plain.writeBytes(value)
    val statistics: Statistics[?] = Statistics.createStats(column.getPrimitiveType)
    statistics.updateStats(value)
    out.startColumn(column, rows.toLong, CompressionCodecName.SNAPPY)
    val size = plain.getBytes.size.toInt
    out.writeDictionaryPage(
      new DictionaryPage(compressor.compress(plain.getBytes), size, 1, Encoding.PLAIN)
    )
    val width = BytesInput.from(Array[Byte](1))
    writePage(statistics, Encoding.RLE_DICTIONARY, BytesInput.concat(width, allRows(0)))
    out.endColumn()
    plain.close()
  }

  private def writePage(statistics: Statistics[?], encoding: Encoding, values: BytesInput): Unit = {
    val levels = allRows(1)
    val page = BytesInput.concat(BytesInput.fromInt(levels.size.toInt), levels, values)
    out.writeDataPage(
      rows,
      page.size.toInt,
      compressor.compress(page),
      statistics,
      rows.toLong,
      Encoding.RLE,
      Encoding.RLE,
      encoding,
    )
  }

  /** The value for all rows as one RLE run with a bit width of 1. */
  private def allRows(value: Byte): BytesInput =
    BytesInput.concat(BytesInput.fromUnsignedVarInt(rows << 1), BytesInput.from(Array(value)))
}

private object DeletePageWriter {

  /** The number of rows of a row group, as in DuckDB's files. */
  private val RowGroupRows = 122880

  private val SlabSize = 1 << 16

  /** A column of numbers in the current row group. */
  final class Numbers(val descriptor: ColumnDescriptor) {
    val values: PlainValuesWriter =
      new PlainValuesWriter(SlabSize, RowGroupRows * 8, new HeapByteBufferAllocator)

    var statistics: Statistics[?] = Statistics.createStats(descriptor.getPrimitiveType)

    def add(value: Long): Unit = {
      values.writeLong(value)
      statistics.updateStats(value)
    }

    def clear(): Unit = {
      values.reset()
      statistics = Statistics.createStats(descriptor.getPrimitiveType)
    }
  }
}
