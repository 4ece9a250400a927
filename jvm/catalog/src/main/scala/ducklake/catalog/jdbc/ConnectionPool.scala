package ducklake.catalog.jdbc

import java.sql.Connection
import java.sql.SQLException
import java.util.concurrent.ConcurrentLinkedDeque
import java.util.concurrent.Semaphore
import java.util.concurrent.TimeUnit

import scala.annotation.tailrec

/** Connections to a server, kept between calls: the one given back last is lent first. The thread that
  * needs a new one opens it, so that what the server says of it is known at once.
  *
  * Source: ours, decision 0018.
  */
private[jdbc] final class ConnectionPool(settings: PoolSettings, open: () => Connection) {
  private val places = new Semaphore(settings.size, true)
  private val idle = new ConcurrentLinkedDeque[Lent]()

  /** Errors: [[PoolExhausted]]; those of opening a connection. */
  def lend(): Lease = {
    val isFree = ConnectionPolicy.waiting(
      places.tryAcquire(settings.waitMillis, TimeUnit.MILLISECONDS)
    )
    if (!isFree) throw new PoolExhausted(settings)
    try take()
    catch {
      case error: Throwable =>
        places.release()
        throw error
    }
  }

  /** Closes what is not lent. */
  def close(): Unit = Iterator
    .continually(Option(idle.poll()))
    .takeWhile(_.nonEmpty)
    .flatten
    .foreach(_.closeQuietly())

  @tailrec
  private def take(): Lent = Option(idle.pollFirst()) match {
    case Some(kept) if kept.isAlive => kept
    case Some(dead) =>
      dead.closeQuietly()
      take()
    case None => new Lent(open())
  }

  /** What has been idle for long ends when another is given back. */
  private def closeOld(): Unit =
    Option(idle.peekLast())
      .filter(oldest => oldest.idleNanos > ConnectionPool.IdleNanos && idle.remove(oldest))
      .foreach(_.closeQuietly())

  private final class Lent(val connection: Connection) extends Lease {
    private var givenBackAt = 0L

    def giveBack(): Unit =
      try {
        if (!connection.getAutoCommit) connection.setAutoCommit(true)
        givenBackAt = System.nanoTime()
        idle.addFirst(this)
        closeOld()
      } catch {
        case error: SQLException =>
          closeQuietly()
          throw error
      } finally places.release()

    def discard(): Unit =
      try connection.close()
      finally places.release()

    def idleNanos: Long = System.nanoTime() - givenBackAt

    /** The server is asked only after a pause. */
    def isAlive: Boolean =
      idleNanos < ConnectionPool.FreshNanos || connection.isValid(ConnectionPool.CheckSeconds)

    def closeQuietly(): Unit =
      try connection.close()
      catch { case _: SQLException => () }
  }
}

private object ConnectionPool {
  private val FreshNanos = TimeUnit.MILLISECONDS.toNanos(500)
  private val IdleNanos = TimeUnit.SECONDS.toNanos(30)
  private val CheckSeconds = 5
}

/** How many connections to a server a lake may have at once.
  *
  * @param waitMillis how long a call waits for one of them
  */
final case class PoolSettings(size: Int, waitMillis: Long)

object PoolSettings {

  /** Eight statements at once, as many as most drivers run. */
  val default: PoolSettings = PoolSettings(8, 30000L)
}

/** All connections are lent for longer than a call waits. */
private[jdbc] final class PoolExhausted(val settings: PoolSettings)
    extends SQLException("all connections are in use")
