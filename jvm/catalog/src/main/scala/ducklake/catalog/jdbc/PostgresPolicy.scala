package ducklake.catalog.jdbc

import org.postgresql.util.PSQLException

import java.sql.Connection
import java.sql.SQLException

/** PostgreSQL: a small pool that shrinks to nothing when idle. Fit to run behind a transaction pooler:
  * no named statements, no session settings.
  *
  * @param busyTimeoutMillis how long a transaction that writes waits for a lock: a DuckDB that has
  *   flushed and not committed yet keeps its locks as long as it likes
  */
private[jdbc] final class PostgresPolicy(
    uri: CatalogUri.Postgres,
    busyTimeoutMillis: Int,
    poolSettings: PoolSettings,
    extra: Map[String, String],
) extends ConnectionPolicy {

  private val address = {
    val isBareV6 = uri.host.contains(":") && !uri.host.startsWith("[")
    val host = if (isBareV6) s"[${uri.host}]" else uri.host
    s"jdbc:postgresql://$host:${uri.port}/${PostgresPolicy.encode(uri.database)}"
  }

  private val settings = Map(
    "prepareThreshold" -> "0",
    "ApplicationName" -> "ducklake-spark",
    "tcpKeepAlive" -> "true",
    "socketTimeout" -> PostgresPolicy.socketTimeoutSeconds(busyTimeoutMillis).toString,
  ) ++ uri.properties ++ extra

  /** The server takes 0 for no limit. */
  private val startOfWrite =
    "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ; " +
      s"SET LOCAL lock_timeout = ${math.max(busyTimeoutMillis, 1)}; " +
      PostgresPolicy.ValueSettings

  private val pool = new ConnectionPool(poolSettings, () => connect())

  def exists: Boolean = true

  def lend(): Lease = pool.lend()

  def lendToWrite(): Lease = pool.lend()

  def beginWrite(connection: Connection): Unit = {
    connection.setAutoCommit(false)
    ConnectionPolicy.execute(connection, startOfWrite)
  }

  def commit(connection: Connection): Unit = connection.commit()

  def rollback(connection: Connection): Unit = connection.rollback()

  /** Whatever the server itself reports of a COMMIT means that it was not done. */
  def isRolledBack(error: SQLException): Boolean = error match {
    case told: PSQLException if Option(told.getServerErrorMessage).nonEmpty =>
      classify(told) match {
        case SqlFailure.LostConnection(_) => false
        case _ => true
      }
    case _ => false
  }

  def beginRead(connection: Connection): Unit =
    ConnectionPolicy.execute(
      connection,
      "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY; " + PostgresPolicy.ValueSettings,
    )

  def classify(error: SQLException): SqlFailure = SqlFailure.postgres(error)

  def forget(): Unit = pool.close()

  def close(): Unit = pool.close()

  private def connect(): Connection =
    ConnectionPolicy.connect("PostgreSQL", address, settings)(new org.postgresql.Driver())
}

private object PostgresPolicy {

  /** How long an answer of the server may take: no statement of ours needs so long, but for the wait
    * for a lock. A connection without an answer is a lost one.
    */
  private def socketTimeoutSeconds(busyTimeoutMillis: Int): Int = 300 + busyTimeoutMillis / 1000

  /** What the text of a value depends on. A database or role may have other settings, and a pooler may
    * hand a transaction to another connection, so each transaction sets them for itself. The driver
    * sets the rest (encoding, date style, time zone) when it connects.
    */
  private val ValueSettings =
    "SET LOCAL extra_float_digits = 3; " +
      "SET LOCAL intervalstyle = postgres; " +
      "SET LOCAL bytea_output = hex"

  private def encode(name: String): String =
    java.net.URLEncoder.encode(name, java.nio.charset.StandardCharsets.UTF_8).replace("+", "%20")
}
