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

  // Ordered by the time when they were asked for last.
  private val entries = new LinkedHashMap[K, Entry](16, 0.75f, true)

  /** The file system of the key. It is made when there is none, or when somebody has closed it. The
    * threads that ask for one key wait for the first of them, which makes it; the others do not wait.
    *
    * Errors: those of `made`, after which the next call tries again; InterruptedIOException.
    */
  @tailrec
  def of(key: K)(made: => SharedFileSystem): SharedFileSystem = {
    val entry = entered(key, () => made)
    entry.result() match {
      case Right(system) => system
      case Left(failure) =>
        forget(key, entry)
        // The thread that made it was interrupted, and this is another one.
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

  /** Takes out the file systems that somebody has closed, and those to close. */
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

  /** A file system that is there, or that the first thread makes which asks for its result. Threads are
    * interrupted while they wait, and a lazy value would hold them.
    */
  private final class Entry(make: () => SharedFileSystem, var lastAsked: Long) {

    @volatile private var maker: Option[Thread] = None

    private val making = new FutureTask[SharedFileSystem](() => {
      maker = Some(Thread.currentThread())
      make()
    })

    /** Whether another thread has made it. */
    def isOfOther: Boolean = !maker.contains(Thread.currentThread())

    def isMade: Boolean = making.isDone

    /** Whether it was made, and somebody has closed it. */
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
