package ducklake.catalog.jdbc

import java.nio.file.Path
import java.sql.Connection
import java.sql.SQLException
import java.util.concurrent.TimeUnit
import java.util.concurrent.locks.Lock
import java.util.concurrent.locks.ReentrantReadWriteLock

/** A DuckDB file: attached for each call and let go at once, because one process at a time may have
  * it; read-only for reads, which threads share; for one writer alone otherwise. Threads come to the
  * file in the order they asked, so that a stream of readers keeps no writer out. Every wait, for
  * another thread or another process, ends at a deadline or by an interrupt.
  */
private[jdbc] final class DuckDbPolicy(
    path: String,
    busyTimeoutMillis: Int,
    properties: Map[String, String],
) extends ConnectionPolicy {

  /** One thread, ours: a session may have many lakes, and a machine many cores. Nothing is downloaded. */
  private val settings = Map(
    "threads" -> "1",
    "autoinstall_known_extensions" -> "false",
    "autoload_known_extensions" -> "false",
  ) ++ properties

  private val attachment =
    DuckDbPolicy.attachments.of((path, settings))(new DuckDbAttachment(path, settings))

  /** Fair: a writer that waits keeps new readers out. */
  private val turns = DuckDbPolicy.turns.of(path)(new ReentrantReadWriteLock(true))

  def exists: Boolean = DatabaseFile.exists(path, "DuckDB")

  def lend(): Lease = {
    val deadline = new Deadline
    take(turns.readLock, deadline)(attachment.share(() => deadline.hasPassed))
  }

  def lendToWrite(): Lease = {
    val deadline = new Deadline
    take(turns.writeLock, deadline)(attachment.own(() => deadline.hasPassed))
  }

  def beginWrite(connection: Connection): Unit = connection.setAutoCommit(false)

  def commit(connection: Connection): Unit = connection.commit()

  def rollback(connection: Connection): Unit = connection.rollback()

  def isRolledBack(error: SQLException): Boolean =
    SqlFailure.text(error).contains("Failed to commit")

  def beginRead(connection: Connection): Unit = ()

  def classify(error: SQLException): SqlFailure = SqlFailure.duckDb(error)

  override def writtenBy: String =
    DuckDbHeader.writtenBy(Path.of(path)).fold(super.writtenBy)(v => s"DuckDB $v")

  def forget(): Unit = attachment.renew()

  def close(): Unit =
    if (turns.writeLock.tryLock())
      try attachment.close()
      finally turns.writeLock.unlock()

  private def take(lock: Lock, deadline: Deadline)(attach: => DuckDbAttachment.Use): Lease = {
    val isOurs = ConnectionPolicy.waiting(lock.tryLock(deadline.leftNanos, TimeUnit.NANOSECONDS))
    if (!isOurs) throw new SQLException("Could not set lock: threads of this process are busy")
    val use =
      try attach
      catch {
        case error: Throwable =>
          lock.unlock()
          throw error
      }
    new Turn(lock, use)
  }

  private final class Deadline {
    private val end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(busyTimeoutMillis.toLong)

    def leftNanos: Long = math.max(end - System.nanoTime(), 0L)

    def hasPassed: Boolean = leftNanos == 0
  }

  /** A thread's turn at the file, which ends whatever fails on the way out. */
  private final class Turn(lock: Lock, use: DuckDbAttachment.Use) extends Lease {
    def connection: Connection = use.connection

    def giveBack(): Unit = discard()

    def discard(): Unit =
      try use.end()
      finally lock.unlock()
  }
}

/** Of the whole process: the operating system's lock on the file keeps other processes out, not other
  * lakes of this one, and ends as soon as one of them lets go of the file.
  */
private object DuckDbPolicy {
  private val turns = new WeakValueMap[String, ReentrantReadWriteLock]
  private val attachments = new WeakValueMap[(String, Map[String, String]), DuckDbAttachment]
}
