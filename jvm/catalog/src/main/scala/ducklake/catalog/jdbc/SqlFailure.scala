package ducklake.catalog.jdbc

import ducklake.catalog.error.LakeError

import java.sql.SQLException

/** What a failed statement or connection means. */
sealed trait SqlFailure

object SqlFailure {

  /** Another process holds the file, or a lock. */
  case object Busy extends SqlFailure

  /** The server is gone, restarts, or does not let us in. */
  final case class LostConnection(why: String) extends SqlFailure

  final case class NoSuchTable(why: String) extends SqlFailure

  final case class NotADatabase(why: String) extends SqlFailure

  /** Another transaction was faster: the same may succeed on what it left. */
  final case class Collision(why: String) extends SqlFailure

  final case class Other(why: String) extends SqlFailure

  def sqlite(error: SQLException): SqlFailure = error.getErrorCode & 0xff match {
    case 5 | 6 => Busy
    case 11 | 26 => NotADatabase(text(error))
    case 19 => Collision(text(error))
    case 1 if text(error).contains("already exists") => Collision(text(error))
    case 1 if text(error).contains("no such table") => NoSuchTable(text(error))
    case _ => Other(text(error))
  }

  /** By SQLSTATE. Collisions: keys taken, serialization failures, deadlocks, tables that are already
    * there. Lost: class 08, logins and missing databases, shutdowns, too many connections.
    */
  def postgres(error: SQLException): SqlFailure = Option(error.getSQLState).getOrElse("") match {
    case "55P03" => Busy
    case "42P01" => NoSuchTable(text(error))
    case "23505" | "40001" | "40P01" | "42P07" | "42P06" => Collision(text(error))
    case "57P01" | "57P02" | "57P03" | "53300" | "3D000" => LostConnection(text(error))
    case state if state.startsWith("08") || state.startsWith("28") => LostConnection(text(error))
    case _ => Other(text(error))
  }

  /** DuckDB's driver gives no state: its text decides. */
  def duckDb(error: SQLException): SqlFailure = {
    val why = text(error)
    val isHeld = Seq("Could not set lock", "different configuration", "being used by another")
    val isCollision =
      Seq("Conflict", "conflict", "violates primary key", "Duplicate key", "already exists")
    if (isHeld.exists(why.contains)) Busy
    else if (why.contains("not a valid DuckDB database")) NotADatabase(why)
    else if (why.startsWith("Catalog Error") && why.contains("does not exist")) NoSuchTable(why)
    else if (isCollision.exists(why.contains)) Collision(why)
    else Other(why)
  }

  /** The error that the user sees.
    *
    * @param attempted what was to be done, as in "Cannot read the snapshots"
    */
  def toError(failure: SqlFailure, database: Database, attempted: String): LakeError =
    failure match {
      case Busy => LakeError.CatalogBusy(database.display, database.busyTimeoutMillis.toLong)
      case LostConnection(why) => LakeError.ConnectionFailed(database.display, attempted, why)
      case NotADatabase(why) =>
        LakeError.NotADatabase(database.display, database.dialect.databaseName, why)
      case NoSuchTable(why) => LakeError.CatalogQueryFailed(database.display, attempted, why)
      case Collision(why) => LakeError.CatalogQueryFailed(database.display, attempted, why)
      case Other(why) => LakeError.CatalogQueryFailed(database.display, attempted, why)
    }

  /** The first line of the driver's text, which is all a reader can use. */
  private[jdbc] def text(error: Throwable): String =
    Option(error.getMessage)
      .flatMap(_.linesIterator.nextOption())
      .map(_.trim)
      .getOrElse(error.getClass.getSimpleName)
}
