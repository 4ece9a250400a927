package ducklake.files.store

import ducklake.files.crypto.DecryptedFile
import ducklake.files.crypto.EncryptedFile
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.FileStatus
import org.apache.hadoop.fs.Path
import org.apache.parquet.ParquetReadOptions
import org.apache.parquet.hadoop.ParquetFileReader
import org.apache.parquet.hadoop.metadata.ParquetMetadata
import org.apache.parquet.hadoop.util.HadoopInputFile
import org.apache.parquet.io.DelegatingSeekableInputStream
import org.apache.parquet.io.InputFile
import org.apache.parquet.io.SeekableInputStream

import java.io.ByteArrayInputStream
import java.nio.ByteBuffer
import java.nio.ByteOrder
import java.nio.charset.StandardCharsets.US_ASCII

import scala.util.Using

/** Opens Parquet files whose sizes are in the catalog, with as few requests as possible. Readers
  * see encrypted files without encryption.
  */
object KnownFile {

  /** The file. Its size is not requested from object stores, neither now nor when it is opened. A
    * file that does not exist fails when it is opened or when it is first read.
    *
    * @param path in Hadoop's form
    */
  def input(path: String, sizeBytes: Long, conf: Configuration): HadoopInputFile = {
    val status = new FileStatus(sizeBytes, false, 1, BlockBytes, 0L, new Path(path))
    HadoopInputFile.fromStatus(status, conf)
  }

  /** A reader of the whole file. A small file is read in one request and closed at once.
    *
    * Errors: errors of Parquet and of the storage, EncryptionFailure.
    */
  def opened(
      input: InputFile,
      options: ParquetReadOptions,
      encrypted: Option[EncryptedFile],
  ): ParquetFileReader = {
    val raw = if (isSmall(input)) whole(input) else ParquetReaders.stream(input)
    val stream = DecryptedFile.of(raw, input.getLength, encrypted)
    try ParquetReaders.opened(input, ParquetReaders.footer(input, options, stream), options, stream)
    catch {
      case failure: Throwable =>
        stream.close()
        throw failure
    }
  }

  /** A stream of the file for reading some of its columns. A small file of an object store is read
    * in one request, because each part of it would also take one request.
    *
    * Errors: errors of the storage, EncryptionFailure.
    */
  def stream(input: HadoopInputFile, encrypted: Option[EncryptedFile]): SeekableInputStream = {
    val isStored = input.getPath.toUri.getScheme != "file"
    val raw = if (isStored && isSmall(input)) whole(input) else ParquetReaders.stream(input)
    DecryptedFile.of(raw, input.getLength, encrypted)
  }

  private def isSmall(input: InputFile): Boolean = input.getLength <= SmallBytes

  private def whole(input: InputFile): SeekableInputStream =
    Using.resource(ParquetReaders.stream(input))(inMemory(_, input.getLength.toInt))

  private def inMemory(stream: SeekableInputStream, length: Int): SeekableInputStream = {
    val bytes = new Array[Byte](length)
    stream.readFully(bytes)
    new PieceOfFile(new MemoryBytes(bytes), 0L)
  }

  /** Reads the footer in one request.
    *
    * @param footerSize as in the catalog, without the eight bytes that follow the footer; 0 or less
    *   when it is unknown, and then it is read from the file first
    * @param stream the open file; its position is undefined afterwards
    *
    * Errors: errors of Parquet and of the storage.
    */
  def footer(
      input: InputFile,
      footerSize: Long,
      options: ParquetReadOptions,
      stream: SeekableInputStream,
  ): ParquetMetadata = {
    val end = tail(input.getLength, footerSize, stream)
    ParquetReaders.footer(input, options, end.getOrElse(stream))
  }

  /** The end of the file from memory. None when the end contradicts the catalog, so that Parquet
    * itself reads the footer and finds the fault.
    */
  private def tail(
      length: Long,
      footerSize: Long,
      stream: SeekableInputStream,
  ): Option[SeekableInputStream] = {
    val size = footerSize + TailBytes
    if (footerSize <= 0 || size > math.min(length, MostBytes)) None
    else {
      val bytes = bytesAt(stream, length - size, size.toInt)
      Option.when(endsAs(bytes, footerSize)) {
        new PieceOfFile(new MemoryBytes(bytes), length - size)
      }
    }
  }

  /** A piece of the file from memory, under its offsets in the file. It is read in one request.
    *
    * Errors: errors of the storage.
    */
  def piece(stream: SeekableInputStream, start: Long, sizeBytes: Int): SeekableInputStream =
    new PieceOfFile(new MemoryBytes(bytesAt(stream, start, sizeBytes)), start)

  private def bytesAt(stream: SeekableInputStream, start: Long, sizeBytes: Int): Array[Byte] = {
    val bytes = new Array[Byte](sizeBytes)
    stream.seek(start)
    stream.readFully(bytes)
    bytes
  }

  private def endsAs(bytes: Array[Byte], footerSize: Long): Boolean = {
    val magic = new String(bytes, bytes.length - MagicBytes, MagicBytes, US_ASCII)
    val said = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).getInt(footerSize.toInt)
    magic == "PAR1" && said.toLong == footerSize
  }

  private val SmallBytes = 1024L * 1024
  private val MagicBytes = 4
  private val TailBytes = 8L
  private val MostBytes = 64L * 1024 * 1024

  /** Only for readers that split files by blocks, which ours do not. */
  private val BlockBytes = 128L * 1024 * 1024
}

/** Bytes in memory that can be read from any position. */
private final class MemoryBytes(bytes: Array[Byte]) extends ByteArrayInputStream(bytes) {
  def position: Int = pos

  def moveTo(index: Int): Unit = pos = index
}

/** A piece of a file, under the offsets that it has in the file. */
private final class PieceOfFile(bytes: MemoryBytes, start: Long)
    extends DelegatingSeekableInputStream(bytes) {
  override def getPos: Long = start + bytes.position

  override def seek(position: Long): Unit = bytes.moveTo(Math.toIntExact(position - start))
}
