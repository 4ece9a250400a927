package ducklake.catalog.jdbc.engine

import ducklake.catalog.jdbc.BaseTables
import ducklake.catalog.jdbc.ConnectionPolicy
import ducklake.catalog.jdbc.Lease
import ducklake.catalog.jdbc.PoolSettings
import ducklake.catalog.jdbc.SqlFailure
import ducklake.catalog.jdbc.address.CatalogUri
import org.postgresql.util.PSQLException

import java.io.IOException
import java.sql.Connection
import java.sql.SQLException

import scala.jdk.CollectionConverters.IterableHasAsScala

/** Connections to PostgreSQL: a small pool whose idle connections are closed. It works behind a
  * transaction pooler, because it uses no named statements and no session settings.
  *
  * @param busyTimeoutMillis how long a writing transaction waits for a lock. DuckDB holds locks
  *   from a flush until it commits, for any length of time
  */
private[engine] final class PostgresPolicy(
    uri: CatalogUri.Postgres,
    busyTimeoutMillis: Int,
    poolSettings: PoolSettings,
    extra: Map[String, String],
    tables: BaseTables,
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

  /** After a failure the connection is not used again, so the limit stays off. */
  override def unlimited[A](connection: Connection)(run: => A): A = {
    val limit = connection.getNetworkTimeout
    connection.setNetworkTimeout(_.run(), 0)
    val result = run
    connection.setNetworkTimeout(_.run(), limit)
    result
  }

  def beginWrite(connection: Connection): Unit = {
    connection.setAutoCommit(false)
    ConnectionPolicy.execute(connection, startOfWrite)
  }

  def commit(connection: Connection): Unit = connection.commit()

  def rollback(connection: Connection): Unit = connection.rollback()

  /** An error of the server means that nothing was committed, if the server lives on after it: a
    * server that crashes in a COMMIT may find the commit in its log when it starts again. The
    * severity is in the language of the server, so a severity other than ERROR is trusted only for
    * collisions.
    */
  def isRolledBack(error: SQLException): Boolean = error match {
    case reported: PSQLException =>
      Option(reported.getServerErrorMessage).exists { message =>
        val isPlain = message.getSeverity == "ERROR" || isCollision(reported)
        isPlain && !reported.asScala.exists(PostgresPolicy.isEndOfConnection)
      }
    case _ => false
  }

  private def isCollision(error: SQLException): Boolean = classify(error) match {
    case SqlFailure.Collision(_) => true
    case _ => false
  }

  def beginRead(connection: Connection): Unit =
    ConnectionPolicy.execute(
      connection,
      "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY; " + PostgresPolicy.ValueSettings,
    )

  /** With 08004 and no server error, the driver reports that it lacks a credential that the server
    * asks for.
    */
  def classify(error: SQLException): SqlFailure = error match {
    case own: PSQLException
        if SqlFailure.stateOf(own) == "08004" && Option(own.getServerErrorMessage).isEmpty =>
      SqlFailure.LoginRefused(SqlFailure.text(own))
    case _ => SqlFailure.postgres(error)
  }

  def forget(): Unit = pool.close()

  def close(): Unit = pool.close()

  private def connect(): Connection = {
    val made =
      ConnectionPolicy.connect("PostgreSQL", address, settings)(new org.postgresql.Driver())
    ConnectionPolicy.orClosed(made)(tables.check(made))
  }
}

private object PostgresPolicy {

  /** Whether one of the errors of a statement says that its connection ended. */
  private def isEndOfConnection(error: Throwable): Boolean = error match {
    case _: IOException => true
    case failed: SQLException =>
      SqlFailure.postgres(failed) match {
        case SqlFailure.LostConnection(_) => true
        case _ => false
      }
    case _ => false
  }

  /** How long an answer of the server may take: longer than our statements need, but for VACUUM
    * ([[ConnectionPolicy.unlimited]]), plus the wait for a lock. A connection without an answer in
    * this time counts as lost.
    */
  private def socketTimeoutSeconds(busyTimeoutMillis: Int): Int = 300 + busyTimeoutMillis / 1000

  /** Settings on which the text of values depends. The database or the role may have other values,
    * and a pooler may give each transaction another connection, so each transaction sets them
    * itself. The driver sets the other settings of this kind (encoding, date style, time zone) when
    * it connects.
    */
  private val ValueSettings =
    "SET LOCAL extra_float_digits = 3; " +
      "SET LOCAL intervalstyle = postgres; " +
      "SET LOCAL bytea_output = hex"

  private def encode(name: String): String =
    java.net.URLEncoder.encode(name, java.nio.charset.StandardCharsets.UTF_8).replace("+", "%20")
}
