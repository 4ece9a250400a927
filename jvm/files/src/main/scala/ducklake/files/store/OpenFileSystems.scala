package ducklake.files.store

import org.slf4j.LoggerFactory

import java.io.InterruptedIOException
import java.util.LinkedHashMap
import java.util.concurrent.ExecutionException
import java.util.concurrent.FutureTask
import java.util.concurrent.TimeUnit

import scala.annotation.tailrec
import scala.jdk.CollectionConverters.MapHasAsScala
import scala.util.control.NonFatal

/** Open file systems, each under a key. When there are more than [[OpenFileSystems.Many]], file
  * systems that were not requested for [[OpenFileSystems.IdleHours]] hours are closed. Each opening
  * of a file requests its file system, but closing a file is not reported, so the time is longer
  * than any file is read. When there are more than [[OpenFileSystems.Most]], the least recently
  * requested file system is closed and logged.
  *
  * @param now nanoseconds from any beginning
  */
private[store] final class OpenFileSystems[K](now: () => Long) {
  import OpenFileSystems.*

  // Ordered by the time of the last request.
  private val entries = new LinkedHashMap[K, Entry](16, 0.75f, true)

  /** The file system of the key. It is created when there is none, or when it was closed. Threads
    * that request one key wait for the first thread, which creates it; threads with other keys do
    * not wait.
    *
    * Errors: the errors of `made`, after which the next call tries again; InterruptedIOException.
    */
  @tailrec
  def of(key: K)(made: => SharedFileSystem): SharedFileSystem = {
    val entry = entered(key, () => made)
    entry.result() match {
      case Right(system) => system
      case Left(failure) =>
        forget(key, entry)
        // The thread that created it was interrupted, and this is another thread.
        if (entry.isOfOther && Interruption.isBehind(Causes.of(failure))) of(key)(made)
        else throw failure
    }
  }

  private def entered(key: K, make: () => SharedFileSystem): Entry = {
    val time = now()
    val (entry, unused) = entries.synchronized {
      Option(entries.get(key)).filterNot(_.isClosed) match {
        case Some(known) =>
          known.lastAsked = time
          (known, Vector.empty)
        case None =>
          val added = new Entry(make, time)
          entries.put(key, added): Unit
          (added, removed(time))
      }
    }
    unused.foreach(close)
    entry
  }

  private def forget(key: K, entry: Entry): Unit =
    entries.synchronized(entries.remove(key, entry)): Unit

  /** Removes the file systems that were closed elsewhere, and the ones to close now. */
  private def removed(time: Long): Vector[Entry] = {
    entries.values.removeIf(_.isClosed): Unit
    val idle = entries.asScala.iterator
      .take(math.max(0, entries.size - Many))
      .takeWhile { case (_, entry) => time - entry.lastAsked >= IdleNanos }
      .filter { case (_, entry) => entry.isMade }
      .toVector
    idle.foreach { case (key, _) => entries.remove(key) }
    val eldest =
      if (entries.size <= Most) None
      else entries.asScala.find { case (_, entry) => entry.isMade }
    eldest.foreach { case (key, entry) =>
      entries.remove(key): Unit
      log.warn(
        "More than {} file systems are open. The one of {}, asked for {} minutes ago, is closed.",
        Most,
        entry.name,
        TimeUnit.NANOSECONDS.toMinutes(time - entry.lastAsked),
      )
    }
    (idle ++ eldest).map { case (_, entry) => entry }
  }

  private def close(entry: Entry): Unit =
    try entry.result().foreach(_.close())
    catch {
      case NonFatal(cause) => log.debug("A file system was not closed: {}", cause.toString)
    }
}

private[store] object OpenFileSystems {
  val Many = 64
  val Most = 512
  val IdleHours = 12L

  private val log = LoggerFactory.getLogger("ducklake.files.OpenFileSystems")

  private val IdleNanos = TimeUnit.HOURS.toNanos(IdleHours)

  /** A file system that exists, or that the first thread that requests it creates. Waiting threads
    * can be interrupted; a lazy value would hold them.
    */
  private final class Entry(make: () => SharedFileSystem, var lastAsked: Long) {

    @volatile private var maker: Option[Thread] = None

    private val making = new FutureTask[SharedFileSystem](() => {
      maker = Some(Thread.currentThread())
      make()
    })

    /** Whether another thread created it. */
    def isOfOther: Boolean = !maker.contains(Thread.currentThread())

    def isMade: Boolean = making.isDone

    /** Whether it was created, and was closed since. */
    def isClosed: Boolean = isMade && result().exists(!_.isOpen)

    def name: String = result().fold(_.toString, _.getUri.toString)

    def result(): Either[Throwable, SharedFileSystem] = {
      making.run()
      try Right(making.get())
      catch {
        case failed: ExecutionException => Left(failed.getCause)
        case interrupt: InterruptedException =>
          Thread.currentThread().interrupt()
          throw new InterruptedIOException(interrupt.getMessage)
      }
    }
  }
}
