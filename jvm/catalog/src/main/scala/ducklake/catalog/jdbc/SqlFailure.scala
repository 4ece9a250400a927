package ducklake.catalog.jdbc

import ducklake.catalog.error.LakeError
import org.sqlite.SQLiteErrorCode
import org.sqlite.SQLiteException

import java.net.UnknownHostException
import java.sql.SQLException

import scala.util.matching.Regex

/** The meaning of a failed statement or connection. */
sealed trait SqlFailure {

  /** Whether the same transaction may succeed when it is tried again later. */
  def mayPass: Boolean = false

  /** Whether the database has answered properly, so that the connection can be used again. */
  def leavesConnectionUsable: Boolean = false
}

object SqlFailure {

  /** The database answered with an error. The statement failed, but others may succeed. */
  sealed trait Answer extends SqlFailure {
    override def leavesConnectionUsable: Boolean = true
  }

  sealed trait Passing extends SqlFailure {
    override def mayPass: Boolean = true
  }

  /** Another process has locked the file, or holds a database lock. */
  case object Busy extends Answer with Passing

  /** The connection to the server was lost. */
  final case class LostConnection(why: String) extends Passing

  /** The server accepts no connection now: it is down, is starting, or has too many connections. */
  final case class Refused(why: String) extends Passing

  final case class UnknownHost(host: String) extends SqlFailure

  final case class LoginRefused(why: String) extends SqlFailure

  final case class NoSuchDatabase(why: String) extends SqlFailure

  final case class NoPlaceInPool(settings: PoolSettings) extends SqlFailure

  /** The thread was interrupted while it waited. */
  case object Interrupted extends SqlFailure

  final case class NoSuchTable(why: String) extends Answer with Passing

  /** A table has no column of this name: the catalog is damaged, or was migrated while the
    * statement waited for the lock of the migration.
    */
  final case class NoSuchColumn(why: String) extends Answer

  final case class NotADatabase(why: String) extends SqlFailure

  /** A DuckDB file with a storage version that our DuckDB cannot read. */
  final case class OtherStorage(version: String, known: String) extends SqlFailure

  /** Another transaction came first. The same operations may succeed on the new state. */
  final case class Collision(why: String) extends Answer with Passing

  /** The database ended the statement: it took too long, or somebody cancelled it. */
  final case class Ended(why: String) extends Answer

  final case class NotPermitted(why: String) extends SqlFailure

  /** A process was killed while it wrote, and its changes must be rolled back before a read. */
  case object LeftUnfinished extends SqlFailure

  /** The disk of the database is full; nothing of the statement was stored. */
  final case class NoRoom(why: String) extends SqlFailure

  /** The disk of the database failed. */
  final case class DiskFailed(why: String) extends SqlFailure

  final case class Other(why: String) extends SqlFailure

  /** SQLSTATE of a statement that was cancelled. */
  private[jdbc] val Cancelled = "57014"

  private[jdbc] def isInterrupt(error: SQLException): Boolean = error.getCause match {
    case _: InterruptedException => true
    case _ => false
  }

  def sqlite(error: SQLException): SqlFailure = error.getErrorCode & 0xff match {
    case 5 | 6 => Busy
    case 3 | 8 | 23 => NotPermitted(text(error))
    case 10 => DiskFailed(text(error))
    case 11 | 26 => NotADatabase(text(error))
    case 13 => NoRoom(text(error))
    case 19 if isTakenKey(error) => Collision(text(error))
    case 1 if text(error).contains("already exists") => Collision(text(error))
    case 1 if text(error).contains("no such table") => NoSuchTable(text(error))
    case 1 if text(error).contains("no such column") => NoSuchColumn(text(error))
    case _ => Other(text(error))
  }

  /** Whether another row has the key. What a trigger, NOT NULL or CHECK refuses, it refuses again
    * however often the transaction is tried.
    */
  private def isTakenKey(error: SQLException): Boolean = error match {
    case own: SQLiteException => TakenKeys.contains(own.getResultCode)
    case _ => false
  }

  private val TakenKeys = Set(
    SQLiteErrorCode.SQLITE_CONSTRAINT_PRIMARYKEY,
    SQLiteErrorCode.SQLITE_CONSTRAINT_UNIQUE,
    SQLiteErrorCode.SQLITE_CONSTRAINT_ROWID,
  )

  /** Classifies by SQLSTATE. Collisions are taken keys, serialization failures, deadlocks, and
    * tables that already exist. Lost connections are class 08, shutdowns, and connections that the
    * server closed because they were idle, or their transaction took too long.
    */
  def postgres(error: SQLException): SqlFailure = (error, stateOf(error)) match {
    case (full: PoolExhausted, _) => NoPlaceInPool(full.settings)
    case (_, "55P03") => Busy
    case (_, "42P01") => NoSuchTable(text(error))
    case (_, "42703") => NoSuchColumn(text(error))
    case (_, "23505" | "40001" | "40P01" | "42P07" | "42P06") => Collision(text(error))
    case (_, Cancelled) => Ended(text(error))
    case (_, "42501" | "25006") => NotPermitted(text(error))
    case (_, "53100") => NoRoom(text(error))
    case (_, "58030") => DiskFailed(text(error))
    case (_, "3D000") => NoSuchDatabase(text(error))
    case (_, "57P03" | "53300" | "08004") => Refused(text(error))
    case (_, "08001") => unreached(error)
    case (_, "57P01" | "57P02" | "57P05" | "25P03" | "25P04") => LostConnection(text(error))
    case (_, state) if state.startsWith("28") => LoginRefused(text(error))
    case (_, state) if state.startsWith("08") => LostConnection(text(error))
    case _ => Other(text(error))
  }

  private[jdbc] def stateOf(error: SQLException): String =
    Option(error.getSQLState).getOrElse("")

  /** The message of the driver's error does not say why there is no connection, but the message of
    * its cause does.
    */
  private def unreached(error: SQLException): SqlFailure = Option(error.getCause) match {
    case Some(unknown: UnknownHostException) => UnknownHost(text(unknown))
    case Some(cause) => Refused(text(cause))
    case None => Refused(text(error))
  }

  /** Classifies by message, because DuckDB's driver gives no SQLSTATE. */
  def duckDb(error: SQLException): SqlFailure = {
    val why = text(error)
    def says(parts: String*) = parts.exists(why.contains)
    OtherVersion.findFirstMatchIn(why).map(storageOf).getOrElse {
      if (says(Locked*)) Busy
      else if (isBrokenInstance(error)) LostConnection(why)
      else if (says("No space left on device", "not enough space")) NoRoom(why)
      else if (says("Permission denied", "Read-only file system")) NotPermitted(why)
      else if (says("not a valid DuckDB database")) NotADatabase(why)
      else if (why.startsWith("Catalog Error") && says("does not exist")) NoSuchTable(why)
      else if (says(Collisions*)) Collision(why)
      else Other(why)
    }
  }

  /** Whether the DuckDB instance in this process can run no more statements. */
  private[jdbc] def isBrokenInstance(error: SQLException): Boolean =
    text(error).contains("database has been invalidated because of a previous fatal error")

  private val Locked = Seq(
    "Could not set lock",
    "different configuration",
    "being used by another",
    "Unique file handle conflict",
  )

  private val AfterKill =
    "a process was killed while it wrote; what it left must be rolled back by a process that may " +
      "write the file and its folder, as the first statement of such a process does"

  private val Collisions =
    Seq("Conflict", "conflict", "violates primary key", "Duplicate key", "already exists")

  /** Source: DuckDB 2.0.0, observed. */
  private val OtherVersion: Regex =
    """version number (\d+), but we can only read storage versions between (\d+ and \d+)""".r

  private def storageOf(found: Regex.Match): SqlFailure =
    OtherStorage(found.group(1), found.group(2).replace(" and ", " to "))

  /** The error that the user sees.
    *
    * @param attempted what was attempted, as in "Cannot read the snapshots"
    */
  private[jdbc] def toError(
      failure: SqlFailure,
      database: NamedDatabase,
      attempted: String,
  ): LakeError = {
    val display = database.display
    failure match {
      case Busy => LakeError.CatalogBusy(display, database.busyTimeoutMillis.toLong)
      case LostConnection(why) => LakeError.ConnectionFailed(display, attempted, why)
      case Refused(why) => LakeError.ConnectionFailed(display, attempted, why)
      case UnknownHost(host) => LakeError.UnknownHost(display, attempted, host)
      case LoginRefused(why) => LakeError.LoginRefused(display, attempted, why)
      case NoSuchDatabase(why) => LakeError.NoSuchDatabase(display, attempted, why)
      case NoPlaceInPool(pool) =>
        LakeError.PoolExhausted(display, attempted, pool.size, pool.waitMillis)
      case Interrupted => LakeError.StatementInterrupted(s"waited to $attempted")
      case NotADatabase(why) =>
        LakeError.NotADatabase(display, database.kind, why)
      case OtherStorage(version, known) =>
        LakeError.UnsupportedStorage(display, version, database.writtenBy(), known)
      case Ended(why) => LakeError.CatalogCancelled(display, attempted, why)
      case NotPermitted(why) => LakeError.NotPermitted(display, attempted, why)
      case LeftUnfinished => LakeError.NotPermitted(display, attempted, AfterKill)
      case NoRoom(why) => LakeError.CatalogDiskFailed(display, attempted, why)
      case DiskFailed(why) => LakeError.CatalogDiskFailed(display, attempted, why)
      case NoSuchColumn(why) => LakeError.CatalogQueryFailed(display, attempted, why)
      case NoSuchTable(why) => LakeError.CatalogQueryFailed(display, attempted, why)
      case Collision(why) => LakeError.CatalogQueryFailed(display, attempted, why)
      case Other(why) => LakeError.CatalogQueryFailed(display, attempted, why)
    }
  }

  /** The first line of the driver's message. Further lines do not help a user. */
  private[jdbc] def text(error: Throwable): String =
    Option(error.getMessage)
      .flatMap(_.linesIterator.nextOption())
      .map(_.trim)
      .getOrElse(error.getClass.getSimpleName)
}

/** A database as errors describe it.
  *
  * @param display the address for messages
  * @param kind the common name of the database
  * @param writtenBy finds out which software wrote the database last
  */
private[jdbc] final case class NamedDatabase(
    display: String,
    kind: String,
    busyTimeoutMillis: Int,
    writtenBy: () => String,
)

/** No connection became free while a call waited. */
private[jdbc] final class PoolExhausted(val settings: PoolSettings)
    extends SQLException("all connections are in use")
