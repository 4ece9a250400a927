package ducklake.files.copy

import ducklake.files.copy.plan.NewLeaf
import org.apache.parquet.bytes.HeapByteBufferAllocator
import org.apache.parquet.column.ColumnWriter
import org.apache.parquet.column.ParquetProperties
import org.apache.parquet.compression.CompressionCodecFactory.BytesInputCompressor
import org.apache.parquet.hadoop.ColumnChunkPageWriteStore
import org.apache.parquet.hadoop.ParquetFileWriter

/** The values of one leaf in the row group that is being written, encoded and compressed. */
private[copy] final class LeafWriter(
    leaf: NewLeaf,
    properties: ParquetProperties,
    compressor: BytesInputCompressor,
) extends LeafValueWriter
    with AutoCloseable {

  private val pages = new ColumnChunkPageWriteStore(
    compressor,
    leaf.single,
    new HeapByteBufferAllocator,
    properties.getColumnIndexTruncateLength,
    properties.getPageWriteChecksumEnabled,
  )
  private val store = properties.newColumnWriteStore(leaf.single, pages, pages)
  protected override val column: ColumnWriter = store.getColumnWriter(leaf.descriptor)

  /** Bytes in memory. */
  def bufferedBytes: Long = store.getBufferedSize

  protected override def endRow(): Unit = store.endRecord()

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
