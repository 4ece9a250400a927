package ducklake.files.copy

import ducklake.files.io.FileFailure
import org.apache.parquet.bytes.ByteBufferAllocator
import org.apache.parquet.io.ParquetFileRange
import org.apache.parquet.io.SeekableInputStream

import java.nio.ByteBuffer
import java.util

/** The stream of a source, whose errors name the file. So the errors are not mistaken for errors of
  * the file that is written at the same time.
  */
private[copy] final class NamedInput(under: SeekableInputStream, filename: String, table: String)
    extends SeekableInputStream {

  private def named[A](body: => A): A = FileFailure.naming(filename, table)(body)

  override def getPos: Long = named(under.getPos)
  override def seek(position: Long): Unit = named(under.seek(position))
  override def read(): Int = named(under.read())

  override def read(bytes: Array[Byte], offset: Int, length: Int): Int =
    named(under.read(bytes, offset, length))

  override def read(buffer: ByteBuffer): Int = named(under.read(buffer))
  override def readFully(bytes: Array[Byte]): Unit = named(under.readFully(bytes))

  override def readFully(bytes: Array[Byte], offset: Int, length: Int): Unit =
    named(under.readFully(bytes, offset, length))

  override def readFully(buffer: ByteBuffer): Unit = named(under.readFully(buffer))
  override def readVectoredAvailable(allocator: ByteBufferAllocator): Boolean =
    under.readVectoredAvailable(allocator)

  override def readVectored(
      ranges: util.List[ParquetFileRange],
      allocator: ByteBufferAllocator,
  ): Unit = named(under.readVectored(ranges, allocator))

  override def close(): Unit = under.close()
}
