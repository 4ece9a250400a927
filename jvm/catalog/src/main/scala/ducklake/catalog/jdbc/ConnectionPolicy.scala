package ducklake.catalog.jdbc

import ducklake.catalog.error.LakeError
import ducklake.catalog.error.LakeException

import java.sql.Connection
import java.sql.Driver
import java.sql.SQLException
import java.util.Properties

import scala.annotation.unused

/** How connections to one database are opened, borrowed and released. Methods throw `SQLException`.
  */
private[jdbc] trait ConnectionPolicy {
  def exists: Boolean

  /** Borrows a connection for reading. */
  def lend(): Lease

  /** Borrows a connection for changing the database. Creates the database when there is none and
    * its kind allows it.
    */
  def lendToWrite(): Lease

  /** Begins a transaction that changes the database. */
  def beginWrite(connection: Connection): Unit

  /** Commits the transaction of a connection that was borrowed for writing. */
  def commit(connection: Connection): Unit

  def rollback(connection: Connection): Unit

  /** Whether a COMMIT that failed with this error has certainly changed nothing. */
  def isRolledBack(error: SQLException): Boolean

  /** Makes a new transaction read-only, with one consistent state of the database. */
  def beginRead(connection: Connection): Unit

  /** Runs a statement that may take hours, such as VACUUM, without a limit for its answer. */
  def unlimited[A](@unused connection: Connection)(run: => A): A = run

  def classify(error: SQLException): SqlFailure

  /** The software that wrote the database last, where the file contains its version. */
  def writtenBy: String = "an unknown version"

  /** Rolls back what a killed process left. Only databases without a server need it. */
  def recover(): Unit = ()

  /** Drops idle connections after a connection was lost, because other connections may be dead too.
    */
  def forget(): Unit

  /** Closes idle connections. The next call opens a new one. */
  def close(): Unit

  /** Closes the connections for good. Connections in use are closed at their end. */
  def retire(): Unit = close()
}

private[jdbc] object ConnectionPolicy {

  def execute(connection: Connection, text: String): Unit = {
    val statement = connection.createStatement()
    try statement.execute(text): Unit
    finally statement.close()
  }

  /** Runs a statement. Returns the first value of its first row; None when it returns no row. */
  def firstNumber(connection: Connection, text: String): Option[Long] = {
    val statement = connection.createStatement()
    try
      if (!statement.execute(text)) None
      else {
        val rows = statement.getResultSet
        Option.when(rows.next())(rows.getLong(1))
      }
    finally statement.close()
  }

  /** The connection after `prepare`; closed when that fails. */
  def orClosed(connection: Connection)(prepare: => Unit): Connection =
    try {
      prepare
      connection
    } catch {
      case error: Throwable =>
        connection.close()
        throw error
    }

  /** Runs `wait`. An interrupt ends it with an `SQLException`, and the thread's interrupt flag
    * stays set.
    *
    * Source: ours; Spark interrupts the thread of a statement that is cancelled.
    */
  def waiting[A](wait: => A): A =
    try wait
    catch {
      case interrupt: InterruptedException =>
        Thread.currentThread().interrupt()
        throw new SQLException("the wait was interrupted", SqlFailure.Cancelled, interrupt)
    }

  /** Opens a connection with the driver class itself, because `DriverManager` does not find drivers
    * that were added with Spark's `--jars`. Errors: Unsupported, when the driver or its native
    * library is missing.
    */
  def connect(kind: String, address: String, properties: Map[String, String])(
      driver: => Driver
  ): Connection = {
    val asProperties = new Properties()
    properties.foreach { case (key, value) => asProperties.setProperty(key, value) }
    try
      Option(driver.connect(address, asProperties))
        .getOrElse(throw new SQLException(s"the $kind driver does not take this address", "08001"))
    catch { case error: LinkageError => throw new LakeException(missing(kind), Some(error)) }
  }

  private def missing(kind: String): LakeError =
    LakeError.Unsupported(
      s"A $kind catalog without its JDBC driver",
      s"Add the $kind driver with its native library to `spark.jars`.",
    )
}

/** A connection borrowed for one call, in autocommit mode. The thread that borrowed it calls
  * exactly one of the two methods at the end. Both may throw.
  */
private[jdbc] trait Lease {
  def connection: Connection

  /** Returns the connection for later calls. No transaction is open on it. */
  def giveBack(): Unit

  /** Closes the connection, so that it is not used again. */
  def discard(): Unit
}
