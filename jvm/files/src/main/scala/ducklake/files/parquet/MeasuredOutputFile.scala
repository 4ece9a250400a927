package ducklake.files.parquet

import ducklake.catalog.model.FileKey
import ducklake.catalog.model.PhysicalFile
import ducklake.files.io.Storage
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.FSDataOutputStream
import org.apache.hadoop.fs.Path
import org.apache.parquet.hadoop.util.HadoopStreams
import org.apache.parquet.io.OutputFile
import org.apache.parquet.io.PositionOutputStream

import java.nio.ByteBuffer
import java.nio.ByteOrder

/** The output of a new Parquet file. After the file is closed, it knows the sizes that the catalog
  * stores.
  *
  * Local files get no Hadoop checksum file beside them, because no other engine uses it.
  *
  * @param path the path in Hadoop's form
  */
final class MeasuredOutputFile(path: String, conf: Configuration) extends OutputFile {

  private val target = new Path(path)

  // Set when Parquet's writer opens the file, read after the writer has closed it.
  private var stream: Option[TailStream] = None
  private var output: Option[FSDataOutputStream] = None

  override def create(blockSizeHint: Long): PositionOutputStream = {
    val opened = Storage.create(target, conf)
    output = Some(opened)
    val counted = new TailStream(HadoopStreams.wrap(opened))
    stream = Some(counted)
    counted
  }

  /** Gives up the file, see [[Storage.abort]]. */
  def abort(): Unit = output.foreach(Storage.abort)

  override def createOrOverwrite(blockSizeHint: Long): PositionOutputStream = create(blockSizeHint)

  override def supportsBlockSize(): Boolean = false

  override def defaultBlockSize(): Long = 0L

  override def getPath: String = path

  /** What the catalog records about the file, known after the file is closed. */
  def physical(rowGroups: Long, key: Option[FileKey]): PhysicalFile =
    PhysicalFile(sizeBytes, footerSize, rowGroups, key)

  /** Size of the file in bytes, known after it is closed. */
  def sizeBytes: Long = stream.fold(0L)(_.written)

  /** Size of the Parquet footer in bytes, known after the file is closed. */
  def footerSize: Long = stream.fold(0L)(_.footerSize)
}

/** Forwards all bytes and keeps the last eight of them. */
private final class TailStream(under: PositionOutputStream) extends PositionOutputStream {

  private val tail = new Array[Byte](8)

  var written: Long = 0L

  /** The footer's size. A Parquet file ends with the size of the footer and four letters. */
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
