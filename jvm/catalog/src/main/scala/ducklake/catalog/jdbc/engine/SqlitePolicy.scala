package ducklake.catalog.jdbc.engine

import ducklake.catalog.error.LakeError
import ducklake.catalog.error.LakeException
import ducklake.catalog.jdbc.BaseTables
import ducklake.catalog.jdbc.ConnectionPolicy
import ducklake.catalog.jdbc.EmbeddedFile
import ducklake.catalog.jdbc.Lease
import ducklake.catalog.jdbc.SqlFailure
import org.sqlite.BusyHandler
import org.sqlite.SQLiteConfig
import org.sqlite.SQLiteErrorCode
import org.sqlite.SQLiteException

import java.nio.file.Files
import java.nio.file.Path
import java.nio.file.attribute.BasicFileAttributes
import java.sql.Connection
import java.sql.SQLException
import java.util.concurrent.ConcurrentLinkedDeque

import scala.annotation.tailrec
import scala.jdk.CollectionConverters.PropertiesHasAsScala

/** Connections to SQLite. Reads use read-only connections, so that no file is created. Writes use
  * connections whose transactions take the lock at their start. A few idle connections of both
  * kinds are kept between calls, because each new connection has to read the whole schema. An idle
  * connection holds no lock, and it is not used again when the file was replaced by another.
  *
  * A database that we create has a write-ahead log, or the journal mode of the property
  * `journal_mode` (jvm/docs/catalog-files.md). An existing database keeps its journal mode.
  */
private[jdbc] final class SqlitePolicy(
    path: String,
    busyTimeoutMillis: Int,
    properties: Map[String, String],
    tables: BaseTables,
) extends ConnectionPolicy {

  private val file = Path.of(path)

  /** The journal mode of a database that we create. */
  private val newJournal = SqlitePolicy.journalMode(properties)

  @volatile private var isRetired = false

  private val readers = new Connections(config(isReadOnly = true))
  private val writers = new Connections(config(isReadOnly = false))

  private def config(isReadOnly: Boolean): Map[String, String] = {
    val config = new SQLiteConfig()
    config.setReadOnly(isReadOnly)
    config.setBusyTimeout(busyTimeoutMillis)
    config.toProperties.asScala.toMap ++ (properties - SqlitePolicy.JournalMode)
  }

  def exists: Boolean = EmbeddedFile.exists(path, "SQLite")

  def lend(): Lease = readers.lend()

  def lendToWrite(): Lease = {
    EmbeddedFile.checkFolder(path, "SQLite")
    writers.lend()
  }

  /** Transactions begin and end by explicit statements. The driver's own commit would begin the
    * next transaction at once, which may fail because the file is locked, although the commit
    * succeeded.
    */
  def beginWrite(connection: Connection): Unit = {
    val isNew = !exists || Files.size(file) == 0
    if (isNew) setJournal(connection)
    ConnectionPolicy.execute(connection, "BEGIN IMMEDIATE")
  }

  /** SQLite does not wait for a lock here: a busy file is being created by another process, whose
    * journal mode is kept.
    */
  private def setJournal(connection: Connection): Unit =
    try ConnectionPolicy.execute(connection, s"PRAGMA journal_mode = ${newJournal.getValue}")
    catch { case error: SQLException if classify(error) == SqlFailure.Busy => () }

  def commit(connection: Connection): Unit = ConnectionPolicy.execute(connection, "COMMIT")

  def rollback(connection: Connection): Unit = ConnectionPolicy.execute(connection, "ROLLBACK")

  /** When another process has locked the file, the transaction stays open and is rolled back. When
    * the disk is full, the end of the transaction was not written.
    */
  def isRolledBack(error: SQLException): Boolean = classify(error) match {
    case SqlFailure.Busy | SqlFailure.Collision(_) | SqlFailure.NoRoom(_) => true
    case _ => false
  }

  /** SQLite's read transactions are deferred: the first statement fixes the state that they see. */
  def beginRead(connection: Connection): Unit = ()

  /** An existing file that cannot be opened, or whose journal cannot be opened, is classified as
    * missing permissions.
    */
  def classify(error: SQLException): SqlFailure = (error, SqlFailure.sqlite(error)) match {
    case (own: SQLiteException, _)
        if own.getResultCode == SQLiteErrorCode.SQLITE_READONLY_ROLLBACK =>
      SqlFailure.LeftUnfinished
    case (_, SqlFailure.Other(why))
        if (error.getErrorCode & 0xff) == SqlitePolicy.CannotOpen && Files.isRegularFile(file) =>
      SqlFailure.NotPermitted(why)
    case (_, other) => other
  }

  /** A connection that may write rolls back when it reads. If it cannot, the next read fails again
    * and reports the error.
    */
  override def recover(): Unit =
    try {
      val lease = writers.lend()
      try ConnectionPolicy.execute(lease.connection, "SELECT 1 FROM sqlite_master")
      finally lease.discard()
    } catch { case _: SQLException => () }

  def forget(): Unit = close()

  def close(): Unit = {
    readers.close()
    writers.close()
  }

  override def retire(): Unit = {
    isRetired = true
    close()
  }

  /** Idle connections, each with the key of the file that it opened. */
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
      case None => opened(fileKey, SqlitePolicy.OpenTries)
    }

    /** A file that takes the place of the other while it is opened would get the wrong key. */
    @tailrec
    private def opened(before: Option[Object], tries: Int): Kept = {
      val connection = open()
      val key = fileKey
      if (key == before || before.isEmpty) new Kept(connection, key)
      else if (tries > 0) {
        connection.close()
        opened(key, tries - 1)
      } else new Kept(connection, None) // is not used again
    }

    private def open(): Connection = {
      val connection =
        ConnectionPolicy.connect("SQLite", s"jdbc:sqlite:$path", settings)(new org.sqlite.JDBC())
      ConnectionPolicy.orClosed(connection) {
        BusyHandler.setHandler(connection, new SqliteWait(busyTimeoutMillis))
        SqlitePolicy.Distrust.foreach(ConnectionPolicy.execute(connection, _))
        tables.check(connection)
      }
    }

    private final class Kept(val connection: Connection, val key: Option[Object]) extends Lease {
      def giveBack(): Unit = {
        if (idle.size < SqlitePolicy.KeptConnections) idle.push(this) else discard()
        if (isRetired) close()
      }

      def discard(): Unit = connection.close()
    }
  }

  /** A key that distinguishes the file from another file of the same name. The operating system
    * gives it to no other file while the file is open.
    */
  private def fileKey: Option[Object] =
    if (!exists) None
    else Option(Files.readAttributes(file, classOf[BasicFileAttributes]).fileKey())
}

private object SqlitePolicy {

  /** How often a file is opened that others replace meanwhile. */
  private val OpenTries = 3
  private val KeptConnections = 3

  /** The file is not trusted: its schema cannot run functions with effects outside the database,
    * and damaged pages are detected.
    */
  private val Distrust = Vector("PRAGMA trusted_schema = OFF", "PRAGMA cell_size_check = ON")

  /** SQLite's code SQLITE_CANTOPEN. */
  private val CannotOpen = 14
  private val JournalMode = "journal_mode"

  /** Errors: InvalidSetting. */
  private def journalMode(properties: Map[String, String]): SQLiteConfig.JournalMode = {
    val modes = SQLiteConfig.JournalMode.values.toVector
    properties.get(JournalMode).fold(SQLiteConfig.JournalMode.WAL) { text =>
      modes.find(_.getValue.equalsIgnoreCase(text)).getOrElse {
        val known = modes.map(_.getValue).mkString(", ")
        throw new LakeException(
          LakeError.InvalidSetting(
            s"jdbc.$JournalMode",
            s"is `$text`, which is no journal mode of SQLite",
            s"Give one of $known.",
          )
        )
      }
    }
  }
}
