package ducklake.catalog.jdbc.engine

import ducklake.catalog.jdbc.BaseTables
import ducklake.catalog.jdbc.ConnectionPolicy
import ducklake.catalog.jdbc.EmbeddedFile
import ducklake.catalog.jdbc.Lease
import ducklake.catalog.jdbc.SqlFailure
import ducklake.catalog.jdbc.WeakValueMap
import org.duckdb.DuckDBDriver

import java.nio.file.Path
import java.sql.Connection
import java.sql.SQLException
import java.util.concurrent.TimeUnit
import java.util.concurrent.locks.Lock
import java.util.concurrent.locks.ReentrantReadWriteLock

/** Connections to a DuckDB file. The file is attached for each call and detached at its end,
  * because only one process at a time can open it. Threads that read share the file; a thread that
  * writes has exclusive use. Threads get the file in the order of their requests, so that a stream
  * of readers does not keep a writer waiting. Every wait, for another thread or another process,
  * ends at a deadline or by an interrupt.
  */
private[engine] final class DuckDbPolicy(
    path: String,
    busyTimeoutMillis: Int,
    properties: Map[String, String],
    tables: BaseTables,
) extends ConnectionPolicy {

  /** DuckDB starts no additional threads, because a session may have many lakes and a machine many
    * cores. It downloads no extensions. New files get the storage version that every DuckDB since
    * 1.0 can open; existing files keep their storage version. Results are streamed, because the
    * memory of a whole result would not be bounded. Its memory is outside of the heap, and without a
    * limit could become most of the machine's.
    */
  private val settings = Map(
    "threads" -> "1",
    "storage_compatibility_version" -> "v1.0.0",
    DuckDBDriver.JDBC_STREAM_RESULTS -> "true",
    "autoinstall_known_extensions" -> "false",
    "autoload_known_extensions" -> "false",
  ) ++ DuckDbPolicy.memoryLimit.filter(_ => !properties.contains("max_memory")) ++ properties

  private val attachment =
    DuckDbPolicy.attachments.of((path, settings))(new DuckDbAttachment(path, settings, tables))

  /** A fair lock: while a writer waits, new readers wait too. All names of a file share one lock.
    */
  private val fileLocks =
    DuckDbPolicy.fileLocks.of(EmbeddedFile.real(path))(new ReentrantReadWriteLock(true))

  def exists: Boolean = EmbeddedFile.exists(path, "DuckDB")

  def lend(): Lease = {
    val deadline = new Deadline
    take(fileLocks.readLock, deadline)(attachment.share(() => deadline.hasPassed))
  }

  def lendToWrite(): Lease = {
    EmbeddedFile.checkFolder(path, "DuckDB")
    val deadline = new Deadline
    take(fileLocks.writeLock, deadline)(attachment.own(() => deadline.hasPassed))
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
    if (fileLocks.writeLock.tryLock())
      try attachment.close()
      finally fileLocks.writeLock.unlock()

  override def retire(): Unit = attachment.retire()

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

  /** The use of the file by one thread. The lock is released even when detaching fails. */
  private final class Turn(lock: Lock, use: DuckDbAttachment.Use) extends Lease {
    def connection: Connection = use.connection

    def giveBack(): Unit = discard()

    def discard(): Unit =
      try use.end()
      finally lock.unlock()
  }
}

/** Locks and attachments are shared by the whole process. The operating system's lock on the file
  * excludes other processes only, not other lakes of this process, and it ends as soon as one of
  * these lakes closes the file.
  */
private object DuckDbPolicy {

  /** Left out where the setting is given by its other name. */
  private val memoryLimit = Map("memory_limit" -> "512MB")

  private val fileLocks = new WeakValueMap[Path, ReentrantReadWriteLock]
  private val attachments = new WeakValueMap[(String, Map[String, String]), DuckDbAttachment]
}
