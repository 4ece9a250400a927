package ducklake.files.testkit

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Abortable
import org.apache.hadoop.fs.CommonPathCapabilities.ABORTABLE_STREAM
import org.apache.hadoop.fs.FSDataOutputStream
import org.apache.hadoop.fs.Path
import org.apache.hadoop.fs.RawLocalFileSystem
import org.apache.hadoop.fs.StreamCapabilities
import org.apache.hadoop.util.Progressable

import java.io.IOException
import java.io.InterruptedIOException
import java.io.OutputStream
import java.net.URI
import java.util.UUID
import java.util.concurrent.ConcurrentHashMap
import java.util.concurrent.ConcurrentLinkedQueue

import scala.jdk.CollectionConverters.CollectionHasAsScala

/** An object store under `hdfs://store`, in local files. New files can be given up, by no interrupted
  * thread.
  *
  * @param room of how many bytes it takes each file
  */
final class StandInStore(room: Int = Int.MaxValue) {

  private val id = UUID.randomUUID().toString
  private val found = new ConcurrentLinkedQueue[String]
  StandInStore.stores.put(id, found): Unit

  val conf: Configuration = {
    val made = new Configuration(false)
    made.set("fs.hdfs.impl", classOf[StandInStore.OfFiles].getName)
    made.setBoolean("fs.hdfs.impl.disable.cache", true)
    made.set(StandInStore.Id, id)
    made.setInt(StandInStore.Room, room)
    made
  }

  /** What was done to new files: `abort` and `close`. */
  def events: Seq[String] = found.asScala.toSeq
}

object StandInStore {
  private val Id = "stand.in.id"
  private val Room = "stand.in.room"
  private val stores = new ConcurrentHashMap[String, ConcurrentLinkedQueue[String]]

  final class OfFiles extends RawLocalFileSystem {

    override def getUri: URI = URI.create("hdfs://store")

    override def checkPath(path: Path): Unit = ()

    override def create(
        path: Path,
        overwrite: Boolean,
        bufferSize: Int,
        replication: Short,
        blockSize: Long,
        progress: Progressable,
    ): FSDataOutputStream =
      new FSDataOutputStream(
        new NewFile(stores.get(getConf.get(Id)), getConf.getInt(Room, Int.MaxValue)),
        null,
      )
  }

  private final class NewFile(events: ConcurrentLinkedQueue[String], room: Int)
      extends OutputStream
      with Abortable
      with StreamCapabilities {
    private var left = room

    override def hasCapability(name: String): Boolean = name == ABORTABLE_STREAM

    override def write(byte: Int): Unit = write(Array(byte.toByte), 0, 1)

    override def write(bytes: Array[Byte], offset: Int, length: Int): Unit = {
      left -= length
      if (left < 0) throw new IOException("No space left")
    }

    override def abort(): Abortable.AbortableResult = {
      if (Thread.currentThread().isInterrupted) throw new InterruptedIOException("interrupted")
      events.add("abort"): Unit
      null
    }

    override def close(): Unit = events.add("close"): Unit
  }
}
