package ducklake.catalog.jdbc

import org.sqlite.SQLiteConfig

import java.nio.file.Files
import java.nio.file.Path
import java.nio.file.attribute.BasicFileAttributes
import java.sql.Connection
import java.sql.SQLException
import java.util.concurrent.ConcurrentLinkedDeque

import scala.annotation.tailrec
import scala.jdk.CollectionConverters.PropertiesHasAsScala

/** SQLite: read-only connections, so that nothing is ever created. A few are kept between calls, as
  * each new one has to read the whole schema; one that is kept holds no lock, and is not used again
  * when another file has taken the place of the one it opened.
  */
private[jdbc] final class SqlitePolicy(
    path: String,
    busyTimeoutMillis: Int,
    properties: Map[String, String],
) extends ConnectionPolicy {
  import SqlitePolicy.Kept

  private val file = Path.of(path)

  private val idle = new ConcurrentLinkedDeque[Kept]()

  private val settings: Map[String, String] = {
    val config = new SQLiteConfig()
    config.setReadOnly(true)
    config.setBusyTimeout(busyTimeoutMillis)
    config.toProperties.asScala.toMap ++ properties
  }

  def exists: Boolean = Files.exists(file)

  def use[A](body: Connection => A): A = {
    val kept = take(fileKey)
    val result =
      try body(kept.connection)
      catch {
        case error: Throwable =>
          kept.connection.close()
          throw error
      }
    giveBack(kept)
    result
  }

  /** SQLite's transactions are deferred: the first statement takes the state. */
  def beginRead(connection: Connection): Unit = ()

  def classify(error: SQLException): SqlFailure = SqlFailure.sqlite(error)

  def forget(): Boolean = false

  def close(): Unit = Iterator
    .continually(Option(idle.poll()))
    .takeWhile(_.nonEmpty)
    .flatten
    .foreach(_.connection.close())

  @tailrec
  private def take(key: Option[Object]): Kept = Option(idle.poll()) match {
    case Some(kept) if kept.key == key && key.nonEmpty => kept
    case Some(stale) =>
      stale.connection.close()
      take(key)
    case None =>
      val connection =
        ConnectionPolicy.connect("SQLite", s"jdbc:sqlite:$path", settings)(new org.sqlite.JDBC())
      Kept(connection, key)
  }

  private def giveBack(kept: Kept): Unit =
    if (idle.size < SqlitePolicy.KeptConnections) idle.push(kept)
    else kept.connection.close()

  /** What tells the file from another of its name; it is not given to another while we have it open. */
  private def fileKey: Option[Object] =
    if (!exists) None
    else Option(Files.readAttributes(file, classOf[BasicFileAttributes]).fileKey())
}

private object SqlitePolicy {
  private val KeptConnections = 3

  private final case class Kept(connection: Connection, key: Option[Object])
}
