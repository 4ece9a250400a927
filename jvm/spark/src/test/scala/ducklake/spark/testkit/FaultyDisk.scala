package ducklake.spark.testkit

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.FSDataOutputStream
import org.apache.hadoop.fs.FSError
import org.apache.hadoop.fs.Path
import org.apache.hadoop.fs.RawLocalFileSystem
import org.apache.hadoop.util.Progressable

import java.io.IOException
import java.io.InterruptedIOException
import java.io.OutputStream
import java.net.URI
import java.util.concurrent.CountDownLatch

/** The local disk under the scheme `faulty`, as file systems can be: it is full after some bytes of
  * each file, it serves no interrupted thread, and it can be made to wait.
  */
final class FaultyDisk extends RawLocalFileSystem {

  override def getUri: URI = URI.create("faulty:///")

  override def getScheme: String = "faulty"

  override def create(
      path: Path,
      overwrite: Boolean,
      bufferSize: Int,
      replication: Short,
      blockSize: Long,
      progress: Progressable,
  ): FSDataOutputStream = {
    FaultyDisk.reached.countDown()
    if (FaultyDisk.gate.getCount > 0) FaultyDisk.gate.await()
    val under = super.create(path, overwrite, bufferSize, replication, blockSize, progress)
    val room = getConf.getLong(FaultyDisk.Room, Long.MaxValue)
    new FSDataOutputStream(new FaultyDisk.Limited(under, room), null)
  }

  override def delete(path: Path, recursive: Boolean): Boolean = {
    if (Thread.currentThread().isInterrupted) throw new InterruptedIOException("interrupted")
    super.delete(path, recursive)
  }
}

object FaultyDisk {

  /** The setting of how many bytes a file may have. */
  val Room = "faulty.room"

  /** Opened by whoever lets files be made; open as a rule. */
  @volatile var gate: CountDownLatch = new CountDownLatch(0)

  /** Counted down when a file is to be made. */
  @volatile var reached: CountDownLatch = new CountDownLatch(0)

  def conf(room: Long = Long.MaxValue): Configuration = {
    val made = new Configuration(false)
    made.set("fs.faulty.impl", classOf[FaultyDisk].getName)
    made.setBoolean("fs.faulty.impl.disable.cache", true)
    made.setLong(Room, room)
    made
  }

  /** What Hadoop's local file system throws; its constructor is Hadoop's own. */
  private def full(): FSError = {
    val made = classOf[FSError].getDeclaredConstructor(classOf[Throwable])
    made.setAccessible(true)
    made.newInstance(new IOException("No space left on device"))
  }

  private final class Limited(under: OutputStream, room: Long) extends OutputStream {
    private var left = room

    override def write(byte: Int): Unit = write(Array(byte.toByte), 0, 1)

    override def write(bytes: Array[Byte], offset: Int, length: Int): Unit = {
      left -= length.toLong
      if (left < 0) throw full()
      under.write(bytes, offset, length)
    }

    override def close(): Unit = under.close()
  }
}
