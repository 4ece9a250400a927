package ducklake.catalog.jdbc

import com.zaxxer.hikari.HikariConfig
import com.zaxxer.hikari.HikariDataSource

import java.sql.Connection
import java.sql.SQLException

/** PostgreSQL: a small pool that is made at the first call and shrinks to nothing when idle. Fit to
  * run behind a transaction pooler: no named statements, no session settings.
  *
  * @param busyTimeoutMillis how long a transaction that writes waits for a lock: a DuckDB that has
  *   flushed and not committed yet keeps its locks as long as it likes
  */
private[jdbc] final class PostgresPolicy(
    uri: CatalogUri.Postgres,
    busyTimeoutMillis: Int,
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
  ) ++ uri.properties ++ extra

  /** The server takes 0 for no limit. */
  private val beginWrite =
    "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ; " +
      s"SET LOCAL lock_timeout = ${math.max(busyTimeoutMillis, 1)}"

  private val pool = new Pool

  def exists: Boolean = true

  def use[A](body: Connection => A): A = {
    val connection = pool.opened.getConnection
    try body(connection)
    finally connection.close()
  }

  def useToWrite[A](body: Connection => A): A =
    use { connection =>
      connection.setAutoCommit(false)
      ConnectionPolicy.execute(connection, beginWrite)
      body(connection)
    }

  def commit(connection: Connection): Unit = connection.commit()

  def rollback(connection: Connection): Unit = connection.rollback()

  /** Whatever the server itself reports of a COMMIT means that it was not done. */
  def isRolledBack(error: SQLException): Boolean = classify(error) match {
    case SqlFailure.LostConnection(_) => false
    case SqlFailure.Busy | SqlFailure.NoSuchTable(_) | SqlFailure.NotADatabase(_) |
        SqlFailure.Collision(_) | SqlFailure.Other(_) =>
      true
  }

  def beginRead(connection: Connection): Unit =
    ConnectionPolicy.execute(
      connection,
      "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY",
    )

  def classify(error: SQLException): SqlFailure = error match {
    case timeout: java.sql.SQLTransientConnectionException =>
      Option(timeout.getCause) match {
        case Some(cause: SQLException) => SqlFailure.LostConnection(SqlFailure.text(cause))
        case _ => SqlFailure.LostConnection(SqlFailure.text(timeout))
      }
    case other => SqlFailure.postgres(other)
  }

  def forget(): Boolean = pool.evict()

  def close(): Unit = pool.close()

  /** The pool, once it is there; a failed first connection leaves none behind. */
  private final class Pool {
    private var current: Option[HikariDataSource] = None

    def opened: HikariDataSource = synchronized {
      current.getOrElse {
        val made = create()
        current = Some(made)
        made
      }
    }

    def evict(): Boolean = synchronized {
      current.foreach(_.getHikariPoolMXBean.softEvictConnections())
      current.nonEmpty
    }

    def close(): Unit = synchronized {
      current.foreach(_.close())
      current = None
    }

    /** Tries a connection first: the pool itself would wait before it reports what is wrong. */
    private def create(): HikariDataSource = {
      connect().close()
      val config = new HikariConfig()
      config.setPoolName(s"ducklake-${uri.host}-${uri.port}-${uri.database}")
      config.setDataSource(new DriverSource(() => connect()))
      config.setMaximumPoolSize(PostgresPolicy.PoolSize)
      config.setMinimumIdle(0)
      config.setIdleTimeout(PostgresPolicy.IdleMillis)
      config.setConnectionTimeout(PostgresPolicy.WaitMillis)
      config.setInitializationFailTimeout(-1)
      new HikariDataSource(config)
    }

    private def connect(): Connection =
      ConnectionPolicy.connect("PostgreSQL", address, settings)(new org.postgresql.Driver())
  }
}

private object PostgresPolicy {
  private val PoolSize = 4
  private val IdleMillis = 30000L
  private val WaitMillis = 10000L

  private def encode(name: String): String =
    java.net.URLEncoder.encode(name, java.nio.charset.StandardCharsets.UTF_8).replace("+", "%20")
}
