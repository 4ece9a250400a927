package ducklake.catalog.jdbc

import org.sqlite.BusyHandler
import org.sqlite.SQLiteConfig

import java.nio.file.Files
import java.nio.file.Path
import java.nio.file.attribute.BasicFileAttributes
import java.sql.Connection
import java.sql.SQLException
import java.util.concurrent.ConcurrentLinkedDeque

import scala.annotation.tailrec
import scala.jdk.CollectionConverters.PropertiesHasAsScala

/** SQLite: to read, read-only connections, so that nothing is ever created; to write, connections
  * whose transactions take the lock at their start. A few of both are kept between calls, as each new
  * one has to read the whole schema; one that is kept holds no lock, and is not used again when
  * another file has taken the place of the one it opened.
  *
  * A database that we make has a write-ahead log (decision 0011); one that is there keeps its journal.
  */
private[jdbc] final class SqlitePolicy(
    path: String,
    busyTimeoutMillis: Int,
    properties: Map[String, String],
) extends ConnectionPolicy {

  private val file = Path.of(path)

  private val readers = new Connections(config(isReadOnly = true))
  private val writers = new Connections(config(isReadOnly = false))

  private def config(isReadOnly: Boolean): Map[String, String] = {
    val config = new SQLiteConfig()
    config.setReadOnly(isReadOnly)
    config.setBusyTimeout(busyTimeoutMillis)
    config.toProperties.asScala.toMap ++ properties
  }

  def exists: Boolean = DatabaseFile.exists(path, "SQLite")

  def lend(): Lease = readers.lend()

  def lendToWrite(): Lease = writers.lend()

  /** Transactions by statement: the driver's own COMMIT begins the next one at once, which may find
    * the file held, and fail although what was to be committed is.
    */
  def beginWrite(connection: Connection): Unit = {
    val isNew = !exists || Files.size(file) == 0
    if (isNew && !properties.contains(SqlitePolicy.JournalMode)) keepLog(connection)
    ConnectionPolicy.execute(connection, "BEGIN IMMEDIATE")
  }

  /** SQLite does not wait for this: a file that is busy is being made by another, whose journal stays. */
  private def keepLog(connection: Connection): Unit =
    try ConnectionPolicy.execute(connection, s"PRAGMA ${SqlitePolicy.JournalMode} = WAL")
    catch { case error: SQLException if classify(error) == SqlFailure.Busy => () }

  def commit(connection: Connection): Unit = ConnectionPolicy.execute(connection, "COMMIT")

  def rollback(connection: Connection): Unit = ConnectionPolicy.execute(connection, "ROLLBACK")

  /** A file that another process holds keeps the transaction open, to be undone; one without room
    * never gets the end of the transaction.
    */
  def isRolledBack(error: SQLException): Boolean = classify(error) match {
    case SqlFailure.Busy | SqlFailure.Collision(_) | SqlFailure.NoRoom(_) => true
    case _ => false
  }

  /** SQLite's read transactions are deferred: the first statement takes the state. */
  def beginRead(connection: Connection): Unit = ()

  /** A file that is there and cannot be opened, or whose journal cannot, is a matter of permissions. */
  def classify(error: SQLException): SqlFailure = SqlFailure.sqlite(error) match {
    case SqlFailure.Other(why)
        if (error.getErrorCode & 0xff) == SqlitePolicy.CannotOpen && Files.isRegularFile(file) =>
      SqlFailure.NotPermitted(why)
    case other => other
  }

  def forget(): Unit = close()

  def close(): Unit = {
    readers.close()
    writers.close()
  }

  /** Connections that are kept, each with what told the file it opened from another of its name. */
  private final class Connections(settings: Map[String, String]) {
    private val idle = new ConcurrentLinkedDeque[Kept]()

    def lend(): Lease = take(fileKey)

    def close(): Unit = Iterator
      .continually(Option(idle.poll()))
      .takeWhile(_.nonEmpty)
      .flatten
      .foreach(_.discard())

    @tailrec
    private def take(key: Option[Object]): Kept = Option(idle.poll()) match {
      case Some(kept) if kept.key == key && key.nonEmpty => kept
      case Some(stale) =>
        stale.discard()
        take(key)
      case None => new Kept(open(), fileKey)
    }

    private def open(): Connection = {
      val connection =
        ConnectionPolicy.connect("SQLite", s"jdbc:sqlite:$path", settings)(new org.sqlite.JDBC())
      BusyHandler.setHandler(connection, new SqliteWait(busyTimeoutMillis))
      connection
    }

    private final class Kept(val connection: Connection, val key: Option[Object]) extends Lease {
      def giveBack(): Unit =
        if (idle.size < SqlitePolicy.KeptConnections) idle.push(this) else discard()

      def discard(): Unit = connection.close()
    }
  }

  /** What tells the file from another of its name; it is not given to another while we have it open. */
  private def fileKey: Option[Object] =
    if (!exists) None
    else Option(Files.readAttributes(file, classOf[BasicFileAttributes]).fileKey())
}

private object SqlitePolicy {
  private val KeptConnections = 3

  /** SQLite's code SQLITE_CANTOPEN. */
  private val CannotOpen = 14
  private val JournalMode = "journal_mode"
}
