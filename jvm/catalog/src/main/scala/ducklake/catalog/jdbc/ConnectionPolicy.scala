package ducklake.catalog.jdbc

import java.sql.Connection
import java.sql.Driver
import java.sql.SQLException
import java.util.Properties

import ducklake.catalog.error.LakeError
import ducklake.catalog.error.LakeException

/** How connections to one database are opened, lent and let go. Methods throw `SQLException`. */
private[jdbc] trait ConnectionPolicy {
  def exists: Boolean

  /** Lends a connection to read. */
  def lend(): Lease

  /** Lends a connection to change the database. Makes the database when there is none and its kind
    * allows.
    */
  def lendToWrite(): Lease

  /** Begins a transaction that changes the database. */
  def beginWrite(connection: Connection): Unit

  /** Ends the transaction of a connection that was lent to write. */
  def commit(connection: Connection): Unit

  def rollback(connection: Connection): Unit

  /** Whether a COMMIT that failed this way has certainly changed nothing. */
  def isRolledBack(error: SQLException): Boolean

  /** Says, at the start of a transaction, that it only reads and wants one state. */
  def beginRead(connection: Connection): Unit

  def classify(error: SQLException): SqlFailure

  /** What wrote the database last, where its file says so. */
  def writtenBy: String = "an unknown version"

  /** Does not lend again what is kept: it may be dead, as a connection was that broke. */
  def forget(): Unit

  /** Lets go of what is kept and not lent; the next call opens anew. */
  def close(): Unit
}

private[jdbc] object ConnectionPolicy {

  def execute(connection: Connection, text: String): Unit = {
    val statement = connection.createStatement()
    try statement.execute(text): Unit
    finally statement.close()
  }

  /** Waits by `wait`. An interrupt ends the wait with an error, and the thread's flag stays set.
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

  /** Opens a connection by a driver's own class: `DriverManager` does not see drivers that come by
    * Spark's `--jars`. Errors: Unsupported, when the driver or its native library is missing.
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

/** A connection that is lent for one call, in autocommit mode. The thread that took it ends it, once,
  * by one of the two methods; both may throw.
  */
private[jdbc] trait Lease {
  def connection: Connection

  /** Keeps the connection for the next call. No transaction is open on it. */
  def giveBack(): Unit

  /** Ends a connection that nobody is to use again. */
  def discard(): Unit
}
