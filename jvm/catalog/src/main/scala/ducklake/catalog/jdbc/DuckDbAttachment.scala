package ducklake.catalog.jdbc

import ducklake.catalog.sql.DuckDbDialect
import org.duckdb.DuckDBConnection
import org.duckdb.DuckDBDriver

import java.sql.Connection
import java.sql.SQLException
import java.util.concurrent.TimeUnit
import java.util.concurrent.locks.ReentrantLock

import scala.annotation.tailrec

/** An empty database in memory, which stays open to attach the file to: that is much faster than
  * opening the file. Several calls share the file while they read, and the last one lets go of it.
  * Who may come at all, [[DuckDbPolicy]] decides.
  */
private[jdbc] final class DuckDbAttachment(path: String, settings: Map[String, String]) {
  import DuckDbAttachment.Use

  /** Held while the file is attached or let go, never while it is used. */
  private val door = new ReentrantLock(true)
  private var home: Option[DuckDBConnection] = None
  private var users = 0

  /** Attaches the file read-only, unless another call has it attached so.
    *
    * @param isOver whether to give up the wait for another process
    */
  def share(isOver: () => Boolean): Use = inside { () =>
    if (users == 0) attach("READ_ONLY", isOver)
    users += 1
    entered()
  }

  /** Attaches the file to write; no other call uses it. */
  def own(isOver: () => Boolean): Use = inside { () =>
    attach("READ_WRITE", isOver)
    users += 1
    entered()
  }

  /** The next call that has the file for itself gets a new database in memory. */
  def renew(): Unit = inside(() => if (users == 0) drop())

  def close(): Unit = renew()

  private def inside[A](body: () => A): A = {
    ConnectionPolicy.waiting(door.lockInterruptibly())
    try body()
    finally door.unlock()
  }

  private def entered(): Use =
    try {
      val connection = opened().duplicate()
      try ConnectionPolicy.execute(connection, "SET TimeZone = 'UTC'")
      catch {
        case error: Throwable =>
          connection.close()
          throw error
      }
      new Use(connection, () => leave())
    } catch {
      case error: Throwable =>
        leave()
        throw error
    }

  private def leave(): Unit = {
    door.lock()
    try {
      users -= 1
      if (users == 0) detach()
    } finally door.unlock()
  }

  /** A database from which the file does not go as it should is not used again. */
  private def detach(): Unit =
    try home.foreach(ConnectionPolicy.execute(_, s"DETACH ${DuckDbDialect.Alias}"))
    catch {
      case error: Throwable =>
        drop()
        throw error
    }

  private def drop(): Unit = {
    val old = home
    home = None
    old.foreach(_.close())
  }

  private def opened(): DuckDBConnection = home.getOrElse {
    val made = ConnectionPolicy.connect("DuckDB", "jdbc:duckdb:", settings)(new DuckDBDriver())
    val connection = made.unwrap(classOf[DuckDBConnection])
    home = Some(connection)
    connection
  }

  @tailrec
  private def attach(mode: String, isOver: () => Boolean): Unit =
    if (!isAttached(mode, isOver)) {
      ConnectionPolicy.waiting(TimeUnit.MILLISECONDS.sleep(DuckDbAttachment.PauseMillis))
      attach(mode, isOver)
    }

  private def isAttached(mode: String, isOver: () => Boolean): Boolean = {
    val quoted = path.replace("'", "''")
    try {
      val target = s"'$quoted' AS ${DuckDbDialect.Alias} (TYPE duckdb, $mode)"
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

private[jdbc] object DuckDbAttachment {
  private val PauseMillis = 25L

  /** The file, attached, for one call. */
  final class Use(val connection: Connection, leave: () => Unit) {
    def end(): Unit =
      try connection.close()
      finally leave()
  }
}
