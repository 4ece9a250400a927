package ducklake.catalog.jdbc.engine

import ducklake.catalog.jdbc.BaseTables
import ducklake.catalog.jdbc.ConnectionPolicy
import ducklake.catalog.jdbc.EmbeddedFile
import ducklake.catalog.jdbc.SqlFailure
import ducklake.catalog.sql.DuckDbDialect
import org.duckdb.DuckDBConnection
import org.duckdb.DuckDBDriver

import java.nio.file.Path
import java.sql.Connection
import java.sql.SQLException
import java.util.UUID
import java.util.concurrent.TimeUnit
import java.util.concurrent.locks.ReentrantLock

import scala.annotation.tailrec

/** An empty in-memory database that stays open, and to which the file is attached. Attaching is
  * much faster than opening the file. Several reading calls share the attached file, and the last
  * call detaches it. [[DuckDbPolicy]] decides which calls may use the file.
  *
  * The file is not trusted: its SQL text (generated columns, triggers, defaults) cannot read or
  * write other files, or change settings.
  */
private[engine] final class DuckDbAttachment(
    path: String,
    settings: Map[String, String],
    tables: BaseTables,
) {
  import DuckDbAttachment.Use

  /** This lock is held while the file is attached or detached, never while it is used. */
  private val attachLock = new ReentrantLock(true)
  private var instance: Option[DuckDBConnection] = None
  private var users = 0
  private var isRetired = false

  private def quoted(name: String): String = name.replace("'", "''")

  /** Attaches the file read-only, unless another call has already attached it.
    *
    * @param isOver whether the time to wait for another process is over
    */
  def share(isOver: () => Boolean): Use = inside { () =>
    if (users == 0) attachChecked("READ_ONLY", isOver)
    users += 1
    entered()
  }

  /** Attaches the file for writing. No other call uses it. */
  def own(isOver: () => Boolean): Use = inside { () =>
    attachChecked("READ_WRITE", isOver)
    users += 1
    entered()
  }

  /** Drops the in-memory database if no call uses it. The next call opens a new one. */
  def renew(): Unit = inside(() => if (users == 0) drop())

  def close(): Unit = renew()

  /** Drops the in-memory database: now, or at the end of the last call that uses it. */
  def retire(): Unit = inside { () =>
    isRetired = true
    if (users == 0) drop()
  }

  private def inside[A](body: () => A): A = {
    ConnectionPolicy.waiting(attachLock.lockInterruptibly())
    try body()
    finally attachLock.unlock()
  }

  private def entered(): Use =
    try {
      new Use(opened().duplicate(), () => leave())
    } catch {
      case error: Throwable =>
        leave()
        throw error
    }

  private def leave(): Unit = {
    attachLock.lock()
    try {
      users -= 1
      if (users == 0) detach()
      if (users == 0 && isRetired) drop()
    } finally attachLock.unlock()
  }

  /** Detaches the file. When this fails, the in-memory database is not used again. */
  private def detach(): Unit =
    try instance.foreach(ConnectionPolicy.execute(_, s"DETACH ${DuckDbDialect.Alias}"))
    catch {
      case error: Throwable =>
        drop()
        throw error
    }

  private def drop(): Unit = {
    val old = instance
    instance = None
    old.foreach(_.close())
  }

  private def opened(): DuckDBConnection = instance.getOrElse {
    val all = Map("temp_directory" -> DuckDbAttachment.newTemporary()) ++ settings
    val made = ConnectionPolicy.connect("DuckDB", "jdbc:duckdb:", all)(new DuckDBDriver())
    ConnectionPolicy.orClosed(made)(confine(made)): Unit
    val connection = made.unwrap(classOf[DuckDBConnection])
    instance = Some(connection)
    connection
  }

  /** Restricts the database to this file. The settings hold for all connections, permanently.
    * DuckDB opens a symbolic link by the name of its file.
    */
  private def confine(connection: Connection): Unit = {
    val names = Vector(path, EmbeddedFile.real(path).toString).distinct.map(quoted)
    val own =
      for {
        name <- names
        suffix <- DuckDbAttachment.Suffixes
      } yield s"'$name$suffix'"
    Vector(
      "SET GLOBAL TimeZone = 'UTC'",
      s"SET GLOBAL allowed_paths = [${own.mkString(", ")}]",
      "SET GLOBAL enable_external_access = false",
      "SET GLOBAL lock_configuration = true",
    ).foreach(ConnectionPolicy.execute(connection, _))
  }

  private def attachChecked(mode: String, isOver: () => Boolean): Unit = {
    attach(mode, isOver)
    try tables.check(opened())
    catch {
      case error: Throwable =>
        detach()
        throw error
    }
  }

  @tailrec
  private def attach(mode: String, isOver: () => Boolean): Unit =
    if (!isAttached(mode, isOver)) {
      ConnectionPolicy.waiting(TimeUnit.MILLISECONDS.sleep(DuckDbAttachment.PauseMillis))
      attach(mode, isOver)
    }

  private def isAttached(mode: String, isOver: () => Boolean): Boolean = {
    try {
      val target = s"'${quoted(path)}' AS ${DuckDbDialect.Alias} (TYPE duckdb, $mode)"
      ConnectionPolicy.execute(opened(), s"ATTACH $target")
      true
    } catch {
      case error: SQLException if SqlFailure.duckDb(error) == SqlFailure.Busy && !isOver() => false
      case error: SQLException if SqlFailure.isBrokenInstance(error) =>
        drop()
        throw error
    }
  }
}

private[engine] object DuckDbAttachment {
  private val PauseMillis = 25L

  /** The folder of one database for what its memory does not hold. DuckDB makes it when it needs it,
    * and removes it; without a name it is `.tmp` in the working directory, for all databases.
    */
  private def newTemporary(): String =
    Path.of(System.getProperty("java.io.tmpdir"), s"ducklake-catalog-${UUID.randomUUID()}").toString

  /** Suffixes of the file's own name and of the names that DuckDB puts beside it. */
  private val Suffixes = Vector("", ".wal", ".wal.checkpoint", ".wal.recovery")

  /** The attached file, for one call. */
  final class Use(val connection: Connection, leave: () => Unit) {
    def end(): Unit =
      try connection.close()
      finally leave()
  }
}
