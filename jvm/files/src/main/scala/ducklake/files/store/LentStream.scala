package ducklake.files.store

import org.apache.parquet.bytes.ByteBufferAllocator
import org.apache.parquet.io.ParquetFileRange
import org.apache.parquet.io.SeekableInputStream

import java.nio.ByteBuffer

/** A stream that several readers share, of which each seeks before it reads. It stays open when one
  * of them closes it.
  */
final class LentStream(under: SeekableInputStream) extends SeekableInputStream {

  override def getPos: Long = under.getPos
  override def seek(position: Long): Unit = under.seek(position)
  override def read(): Int = under.read()
  override def read(bytes: Array[Byte], start: Int, length: Int): Int =
    under.read(bytes, start, length)
  override def read(buffer: ByteBuffer): Int = under.read(buffer)
  override def readFully(bytes: Array[Byte]): Unit = under.readFully(bytes)
  override def readFully(bytes: Array[Byte], start: Int, length: Int): Unit =
    under.readFully(bytes, start, length)
  override def readFully(buffer: ByteBuffer): Unit = under.readFully(buffer)

  override def readVectored(
      ranges: java.util.List[ParquetFileRange],
      allocator: ByteBufferAllocator,
  ): Unit = under.readVectored(ranges, allocator)

  override def readVectoredAvailable(allocator: ByteBufferAllocator): Boolean =
    under.readVectoredAvailable(allocator)

  override def close(): Unit = ()
}
