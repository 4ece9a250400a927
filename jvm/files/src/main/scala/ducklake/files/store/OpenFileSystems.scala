package ducklake.files.store

import org.apache.hadoop.fs.FileSystem
import org.slf4j.LoggerFactory

import java.util.LinkedHashMap
import java.util.concurrent.TimeUnit

import scala.jdk.CollectionConverters.MapHasAsScala

/** File systems that are open, each under a key. Of more than [[OpenFileSystems.Many]] those are closed
  * that nobody has asked for in [[OpenFileSystems.IdleHours]] hours. A file system is asked for with
  * each file that is opened, but nobody says when a file is closed again: so the hours are more than
  * one file takes. Of more than [[OpenFileSystems.Most]], the one that was asked for longest ago is
  * closed, which is told in the log.
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
    val idle = entries.asScala.iterator
      .take(math.max(0, entries.size - Many))
      .takeWhile { case (_, entry) => time - entry.lastAsked >= IdleNanos }
      .toVector
    idle.foreach { case (key, entry) => close(key, entry) }
    if (entries.size > Most) entries.asScala.headOption.foreach { case (key, entry) =>
      log.warn(
        "More than {} file systems are open. The one of {}, asked for {} minutes ago, is closed.",
        Most,
        entry.system.getUri,
        TimeUnit.NANOSECONDS.toMinutes(time - entry.lastAsked),
      )
      close(key, entry)
    }
  }

  private def close(key: K, entry: Entry): Unit = {
    entries.remove(key): Unit
    entry.system.close()
  }
}

private[store] object OpenFileSystems {
  val Many = 64
  val Most = 512
  val IdleHours = 12L

  private val log = LoggerFactory.getLogger("ducklake.files.OpenFileSystems")

  private val IdleNanos = TimeUnit.HOURS.toNanos(IdleHours)
}
