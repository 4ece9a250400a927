package ducklake.spark.parquet.read

import ducklake.files.store.ReadOnlyFileSystem
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.FSDataInputStream
import org.apache.hadoop.fs.FSInputStream
import org.apache.hadoop.fs.FileStatus
import org.apache.hadoop.fs.FileSystem
import org.apache.hadoop.fs.Path
import org.apache.parquet.io.SeekableInputStream

import java.io.FileNotFoundException
import java.net.URI
import java.util.UUID
import java.util.concurrent.ConcurrentHashMap

/** A file system whose files are streams that are open already, each while something opens it. Its
  * files are only read.
  */
final class OpenFile extends ReadOnlyFileSystem("a file that is open can only be read") {
  import OpenFile.*

  override def getScheme: String = Scheme

  override def getUri: URI = URI.create(s"$Scheme:///")

  override def open(path: Path, bufferSize: Int): FSDataInputStream =
    new FSDataInputStream(new Reading(offer(path).stream))

  override def getFileStatus(path: Path): FileStatus =
    new FileStatus(offer(path).sizeBytes, false, 1, BlockBytes, 0L, path)

  override def getWorkingDirectory: Path = new Path(getUri)
}

private object OpenFile {

  private final case class Offer(stream: SeekableInputStream, sizeBytes: Long)

  private val Scheme = "ducklake-open"

  /** For readers that split files by blocks, which ours does not. */
  private val BlockBytes = 128L * 1024 * 1024

  private val offers = new ConcurrentHashMap[String, Offer]

  /** Runs what opens the file by this path. The stream is closed with the reader of the file.
    *
    * @param conf gets the file system of the path
    */
  def offered(stream: SeekableInputStream, sizeBytes: Long, conf: Configuration)(
      open: Path => Unit
  ): Unit = {
    conf.setClass(s"fs.$Scheme.impl", classOf[OpenFile], classOf[FileSystem])
    conf.setBoolean(s"fs.$Scheme.impl.disable.cache", true)
    val path = new Path(s"$Scheme:/${UUID.randomUUID()}")
    offers.put(path.getName, Offer(stream, sizeBytes))
    try open(path)
    finally {
      val _ = offers.remove(path.getName)
    }
  }

  private def offer(path: Path): Offer =
    Option(offers.get(path.getName)).getOrElse(throw new FileNotFoundException(path.toString))

  private final class Reading(under: SeekableInputStream) extends FSInputStream {

    override def read(): Int = under.read()

    override def read(bytes: Array[Byte], offset: Int, length: Int): Int =
      under.read(bytes, offset, length)

    override def seek(position: Long): Unit = under.seek(position)

    override def getPos: Long = under.getPos

    override def seekToNewSource(position: Long): Boolean = false

    override def close(): Unit = under.close()
  }
}
