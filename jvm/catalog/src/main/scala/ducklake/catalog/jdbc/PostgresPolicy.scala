package ducklake.catalog.jdbc

import org.postgresql.util.PSQLException

import java.sql.Connection
import java.sql.SQLException

/** Connections to PostgreSQL: a small pool whose idle connections are closed. It works behind a
  * transaction pooler, because it uses no named statements and no session settings.
  *
  * @param busyTimeoutMillis how long a writing transaction waits for a lock. DuckDB holds locks
  *   from a flush until it commits, for any length of time
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

  /** At least 1, because the server takes 0 for no limit. */
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

  /** An error that the server itself reports for a COMMIT means that nothing was committed, unless
    * the connection was lost.
    */
  def isRolledBack(error: SQLException): Boolean = error match {
    case reported: PSQLException if Option(reported.getServerErrorMessage).nonEmpty =>
      classify(reported) match {
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

  /** With 08004 the driver itself says that it was not given what the server asks for. */
  def classify(error: SQLException): SqlFailure = error match {
    case own: PSQLException
        if SqlFailure.stateOf(own) == "08004" && Option(own.getServerErrorMessage).isEmpty =>
      SqlFailure.LoginRefused(SqlFailure.text(own))
    case _ => SqlFailure.postgres(error)
  }

  def forget(): Unit = pool.close()

  def close(): Unit = pool.close()

  private def connect(): Connection =
    ConnectionPolicy.connect("PostgreSQL", address, settings)(new org.postgresql.Driver())
}

private object PostgresPolicy {

  /** How long an answer of the server may take: longer than any statement of ours needs, and the
    * wait for a lock in addition. A connection without an answer in this time counts as lost.
    */
  private def socketTimeoutSeconds(busyTimeoutMillis: Int): Int = 300 + busyTimeoutMillis / 1000

  /** Settings on which the text of values depends. The database or the role may have other values,
    * and a pooler may give each transaction another connection, so each transaction sets them
    * itself. The driver sets the other such settings (encoding, date style, time zone) when it
    * connects.
    */
  private val ValueSettings =
    "SET LOCAL extra_float_digits = 3; " +
      "SET LOCAL intervalstyle = postgres; " +
      "SET LOCAL bytea_output = hex"

  private def encode(name: String): String =
    java.net.URLEncoder.encode(name, java.nio.charset.StandardCharsets.UTF_8).replace("+", "%20")
}
