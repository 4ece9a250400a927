package ducklake.catalog.jdbc.engine

import ducklake.catalog.jdbc.ConnectionPolicy
import ducklake.catalog.jdbc.Lease
import ducklake.catalog.jdbc.PoolExhausted
import ducklake.catalog.jdbc.PoolSettings
import org.apache.commons.pool2.BasePooledObjectFactory
import org.apache.commons.pool2.PooledObject
import org.apache.commons.pool2.impl.DefaultPooledObject
import org.apache.commons.pool2.impl.GenericObjectPool
import org.apache.commons.pool2.impl.GenericObjectPoolConfig

import java.sql.Connection
import java.sql.SQLException
import java.time.Duration
import java.util.NoSuchElementException

/** A pool of connections to a server. The connection that was returned last is borrowed first. The
  * thread that needs a new connection opens it itself, so that an error of the server is known at
  * once.
  *
  * Source: ours, decision 07.
  */
private[engine] final class ConnectionPool(settings: PoolSettings, open: () => Connection) {

  private val pool = new GenericObjectPool[Connection](Connections, ConnectionPool.config(settings))

  /** Errors: [[PoolExhausted]]; the errors of opening a connection. */
  def lend(): Lease =
    try new Lent(ConnectionPolicy.waiting(pool.borrowObject()))
    catch { case _: NoSuchElementException => throw new PoolExhausted(settings) }

  /** Closes idle connections. The pool stays usable. */
  def close(): Unit = pool.clear()

  private object Connections extends BasePooledObjectFactory[Connection] {
    override def create(): Connection = open()

    override def wrap(connection: Connection): PooledObject[Connection] =
      new DefaultPooledObject(connection)

    /** A connection is checked only when it was idle for some time. */
    override def validateObject(pooled: PooledObject[Connection]): Boolean =
      pooled.getIdleDuration.compareTo(ConnectionPool.Fresh) < 0 ||
        pooled.getObject.isValid(ConnectionPool.CheckSeconds)

    override def destroyObject(pooled: PooledObject[Connection]): Unit = pooled.getObject.close()
  }

  private final class Lent(val connection: Connection) extends Lease {

    def giveBack(): Unit = {
      try if (!connection.getAutoCommit) connection.setAutoCommit(true)
      catch {
        case error: SQLException =>
          discard()
          throw error
      }
      pool.returnObject(connection)
    }

    def discard(): Unit = pool.invalidateObject(connection)
  }
}

private object ConnectionPool {
  private val Fresh = Duration.ofMillis(500)
  private val Idle = Duration.ofSeconds(30)
  private val CheckSeconds = 5

  private def config(settings: PoolSettings): GenericObjectPoolConfig[Connection] = {
    val config = new GenericObjectPoolConfig[Connection]
    config.setMaxTotal(settings.size)
    config.setMaxIdle(settings.size)
    config.setMaxWait(Duration.ofMillis(settings.waitMillis))
    config.setTestOnBorrow(true)
    config.setMinEvictableIdleDuration(Idle)
    config.setTimeBetweenEvictionRuns(Idle)
    config.setJmxEnabled(false)
    config
  }
}
