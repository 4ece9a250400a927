package ducklake.files

import java.nio.ByteBuffer
import java.nio.ByteOrder

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.parquet.hadoop.util.HadoopStreams
import org.apache.parquet.io.OutputFile
import org.apache.parquet.io.PositionOutputStream

/** A Parquet file that is being written, and what the catalog wants to know of it once it is closed.
  *
  * Local files get no checksum file beside them: nobody but Hadoop would know what it is.
  *
  * @param path as Hadoop opens it
  */
final class MeasuredOutputFile(path: String, conf: Configuration) extends OutputFile {

  private val target = new Path(path)

  // Set when Parquet's writer opens the file, read when it has closed it.
  private var stream: Option[TailStream] = None

  override def create(blockSizeHint: Long): PositionOutputStream = {
    val opened = Storage.create(target, conf)
    val counted = new TailStream(HadoopStreams.wrap(opened))
    stream = Some(counted)
    counted
  }

  override def createOrOverwrite(blockSizeHint: Long): PositionOutputStream = create(blockSizeHint)

  override def supportsBlockSize(): Boolean = false

  override def defaultBlockSize(): Long = 0L

  override def getPath: String = path

  /** Bytes of the file, once it is closed. */
  def sizeBytes: Long = stream.fold(0L)(_.written)

  /** Bytes of the Parquet footer, once the file is closed. */
  def footerSize: Long = stream.fold(0L)(_.footerSize)
}

/** Keeps the last eight bytes that went through. */
private final class TailStream(under: PositionOutputStream) extends PositionOutputStream {

  private val tail = new Array[Byte](8)

  var written: Long = 0L

  /** Parquet ends with the footer's length and four letters. */
  def footerSize: Long =
    ByteBuffer.wrap(tail).order(ByteOrder.LITTLE_ENDIAN).getInt(0).toLong

  override def getPos: Long = written

  override def write(byte: Int): Unit = {
    under.write(byte)
    System.arraycopy(tail, 1, tail, 0, 7)
    tail(7) = byte.toByte
    written += 1
  }

  override def write(bytes: Array[Byte], offset: Int, length: Int): Unit = {
    under.write(bytes, offset, length)
    val kept = math.min(length, 8)
    System.arraycopy(tail, kept, tail, 0, 8 - kept)
    System.arraycopy(bytes, offset + length - kept, tail, 8 - kept, kept)
    written += length.toLong
  }

  override def flush(): Unit = under.flush()

  override def close(): Unit = under.close()
}
