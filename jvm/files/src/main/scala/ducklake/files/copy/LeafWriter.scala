package ducklake.files.copy

import org.apache.parquet.bytes.HeapByteBufferAllocator
import org.apache.parquet.column.ColumnWriter
import org.apache.parquet.column.ParquetProperties
import org.apache.parquet.compression.CompressionCodecFactory.BytesInputCompressor
import org.apache.parquet.hadoop.ColumnChunkPageWriteStore
import org.apache.parquet.hadoop.ParquetFileWriter
import org.apache.parquet.column.ColumnReader

/** The values of one leaf in the row group that is being written, encoded and compressed. */
private[copy] final class LeafWriter(
    leaf: NewLeaf,
    properties: ParquetProperties,
    compressor: BytesInputCompressor,
) extends AutoCloseable {

  private val pages = new ColumnChunkPageWriteStore(
    compressor,
    leaf.single,
    new HeapByteBufferAllocator,
    properties.getColumnIndexTruncateLength,
    properties.getPageWriteChecksumEnabled,
  )
  private val store = properties.newColumnWriteStore(leaf.single, pages, pages)
  private val column: ColumnWriter = store.getColumnWriter(leaf.descriptor)

  /** Bytes in memory. */
  def bufferedBytes: Long = store.getBufferedSize

  /** Copies the next rows of a reader.
    *
    * @param live whether each row is copied; null: all are. An Option would cost time for every row
    */
  def copy(reader: ColumnReader, source: LeafSource, rows: Int, live: Array[Boolean]): Unit = {
    // Plain loops: they run for every value.
    val defined = reader.getDescriptor.getMaxDefinitionLevel
    val definitions = source.definitions
    val value = source.value
    var row = 0
    while (row < rows) {
      val isCopied = live == null || live(row)
      var isInRow = true
      while (isInRow) {
        val level = reader.getCurrentDefinitionLevel
        if (isCopied) {
          val repetition = reader.getCurrentRepetitionLevel
          if (level == defined) value(reader, column, repetition, definitions(level))
          else column.writeNull(repetition, definitions(level))
        } else if (level == defined) reader.skip()
        reader.consume()
        isInRow = reader.getCurrentRepetitionLevel != 0
      }
      if (isCopied) store.endRecord()
      row += 1
    }
  }

  /** Adds rows in which the whole column is NULL. */
  def addNulls(rows: Int): Unit = {
    var row = 0
    while (row < rows) {
      column.writeNull(0, 0)
      store.endRecord()
      row += 1
    }
  }

  /** Adds a row with a number in a column that is not nested. */
  def add(value: Long): Unit = {
    column.write(value, 0, 1)
    store.endRecord()
  }

  /** Writes the column chunk. No row can be added then. */
  def writeTo(out: ParquetFileWriter): Unit = {
    store.flush()
    pages.flushToFileWriter(out)
  }

  override def close(): Unit = {
    store.close()
    pages.close()
  }
}
