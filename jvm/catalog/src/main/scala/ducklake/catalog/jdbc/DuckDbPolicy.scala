package ducklake.catalog.jdbc

import ducklake.catalog.sql.DuckDbDialect
import org.duckdb.DuckDBConnection
import org.duckdb.DuckDBDriver

import java.nio.file.Files
import java.nio.file.Path
import java.sql.Connection
import java.sql.SQLException

import scala.annotation.tailrec

/** A DuckDB file: attached for each call and let go at once, because one process at a time may have
  * it; read-only for reads, which threads share; for one writer alone otherwise. An empty database in
  * memory stays open to attach it to, which is much faster than opening the file. Waits while another
  * process has the file.
  */
private[jdbc] final class DuckDbPolicy(
    path: String,
    busyTimeoutMillis: Int,
    properties: Map[String, String],
) extends ConnectionPolicy {

  private val attachment = new Attachment

  /** One thread, ours: a session may have many lakes, and a machine many cores. Nothing is downloaded. */
  private val settings = Map(
    "threads" -> "1",
    "autoinstall_known_extensions" -> "false",
    "autoload_known_extensions" -> "false",
  ) ++ properties

  def exists: Boolean = Files.exists(Path.of(path))

  def use[A](body: Connection => A): A = {
    val connection = attachment.enter(deadline)
    try body(connection)
    finally
      try connection.close()
      finally attachment.leave()
  }

  def useToWrite[A](body: Connection => A): A =
    attachment.alone(deadline) { connection =>
      connection.setAutoCommit(false)
      body(connection)
    }

  def commit(connection: Connection): Unit = connection.commit()

  def rollback(connection: Connection): Unit = connection.rollback()

  def isRolledBack(error: SQLException): Boolean =
    SqlFailure.text(error).contains("Failed to commit")

  private def deadline: Long = System.nanoTime() + busyTimeoutMillis * 1000000L

  def beginRead(connection: Connection): Unit = ()

  def classify(error: SQLException): SqlFailure = SqlFailure.duckDb(error)

  def forget(): Boolean = false

  def close(): Unit = attachment.close()

  /** The database in memory, and how many calls use the attached file. */
  private final class Attachment {
    private var home: Option[DuckDBConnection] = None
    private var users = 0

    def enter(deadlineNanos: Long): Connection = synchronized {
      val connection = opened().duplicate()
      try {
        if (users == 0) attach(connection, "READ_ONLY", deadlineNanos)
        users += 1
        ConnectionPolicy.execute(connection, "SET TimeZone = 'UTC'")
        connection
      } catch {
        case error: SQLException =>
          connection.close()
          throw error
      }
    }

    def leave(): Unit = synchronized {
      users -= 1
      if (users == 0) {
        home.foreach(detach)
        notifyAll()
      }
    }

    /** Waits for the readers of this process to leave, and keeps others out meanwhile. */
    def alone[A](deadlineNanos: Long)(body: Connection => A): A = synchronized {
      while (users > 0 && System.nanoTime() < deadlineNanos) wait(DuckDbPolicy.PauseMillis)
      if (users > 0) throw new SQLException("Could not set lock: readers of this process are busy")
      val connection = opened().duplicate()
      try {
        attach(connection, "READ_WRITE", deadlineNanos)
        try {
          ConnectionPolicy.execute(connection, "SET TimeZone = 'UTC'")
          body(connection)
        } finally home.foreach(detach)
      } finally connection.close()
    }

    private def detach(from: Connection): Unit =
      ConnectionPolicy.execute(from, s"DETACH ${DuckDbDialect.Alias}")

    def close(): Unit = synchronized {
      if (users == 0) {
        home.foreach(_.close())
        home = None
      }
    }

    private def opened(): DuckDBConnection = home.getOrElse {
      val made = ConnectionPolicy.connect("DuckDB", "jdbc:duckdb:", settings)(new DuckDBDriver())
      val connection = made.unwrap(classOf[DuckDBConnection])
      home = Some(connection)
      connection
    }

    @tailrec
    private def attach(connection: Connection, mode: String, deadlineNanos: Long): Unit = {
      val quoted = path.replace("'", "''")
      val isAttached =
        try {
          ConnectionPolicy.execute(
            connection,
            s"ATTACH '$quoted' AS ${DuckDbDialect.Alias} (TYPE duckdb, $mode)",
          )
          true
        } catch { case error: SQLException if mayWait(error, deadlineNanos) => false }
      if (!isAttached) {
        Thread.sleep(DuckDbPolicy.PauseMillis)
        attach(connection, mode, deadlineNanos)
      }
    }

    private def mayWait(error: SQLException, deadlineNanos: Long): Boolean =
      classify(error) == SqlFailure.Busy && System.nanoTime() < deadlineNanos
  }
}

private object DuckDbPolicy {
  private val PauseMillis = 25L
}
