package ducklake.files.store

import org.apache.hadoop.fs.FileSystem

import java.util.LinkedHashMap
import java.util.concurrent.TimeUnit

import scala.jdk.CollectionConverters.MapHasAsScala

/** File systems that are open, each under a key. Of more than [[OpenFileSystems.Most]] those are closed
  * that nobody has asked for in [[OpenFileSystems.IdleHours]] hours. A file system is asked for with
  * each file that is opened, but nobody says when a file is closed again: so the hours are more than
  * one file takes.
  *
  * @param now nanoseconds from any beginning
  */
private[store] final class OpenFileSystems[K](now: () => Long) {
  import OpenFileSystems.*

  private final class Entry(val system: FileSystem, var lastAsked: Long)

  // Ordered by the time when they were asked for last.
  private val entries = new LinkedHashMap[K, Entry](16, 0.75f, true)

  /** The file system of the key, which is made when there is none. */
  def of(key: K)(made: => FileSystem): FileSystem = entries.synchronized {
    val time = now()
    val entry = Option(entries.get(key)).getOrElse {
      val added = new Entry(made, time)
      entries.put(key, added): Unit
      closeIdle(time)
      added
    }
    entry.lastAsked = time
    entry.system
  }

  private def closeIdle(time: Long): Unit = {
    val tooMany = math.max(0, entries.size - Most)
    val idle = entries.asScala.iterator
      .takeWhile { case (_, entry) => time - entry.lastAsked >= IdleNanos }
      .take(tooMany)
      .toVector
    idle.foreach { case (key, entry) =>
      entries.remove(key): Unit
      entry.system.close()
    }
  }
}

private[store] object OpenFileSystems {
  val Most = 64
  val IdleHours = 12L

  private val IdleNanos = TimeUnit.HOURS.toNanos(IdleHours)
}
