package ducklake.catalog.jdbc

import org.apache.commons.pool2.BasePooledObjectFactory
import org.apache.commons.pool2.PooledObject
import org.apache.commons.pool2.impl.DefaultPooledObject
import org.apache.commons.pool2.impl.GenericObjectPool
import org.apache.commons.pool2.impl.GenericObjectPoolConfig

import java.sql.Connection
import java.sql.SQLException
import java.time.Duration
import java.util.NoSuchElementException

/** Connections to a server, kept between calls: the one given back last is lent first. The thread that
  * needs a new connection opens it, so that what the server says of it is known at once.
  *
  * Source: ours, decision 0018.
  */
private[jdbc] final class ConnectionPool(settings: PoolSettings, open: () => Connection) {

  private val pool = new GenericObjectPool[Connection](Connections, ConnectionPool.config(settings))

  /** Errors: [[PoolExhausted]]; those of opening a connection. */
  def lend(): Lease =
    try new Lent(ConnectionPolicy.waiting(pool.borrowObject()))
    catch { case _: NoSuchElementException => throw new PoolExhausted(settings) }

  /** Closes what is not lent; the pool itself stays usable. */
  def close(): Unit = pool.clear()

  private object Connections extends BasePooledObjectFactory[Connection] {
    override def create(): Connection = open()

    override def wrap(connection: Connection): PooledObject[Connection] =
      new DefaultPooledObject(connection)

    /** The server is asked only after a pause. */
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

/** How many connections to a server a lake may have at once.
  *
  * @param waitMillis how long a call waits for one of them
  */
final case class PoolSettings(size: Int, waitMillis: Long)

object PoolSettings {

  /** Eight statements at once, as many as most drivers run. */
  val default: PoolSettings = PoolSettings(8, 30000L)
}

/** All connections are lent for longer than a call waits. */
private[jdbc] final class PoolExhausted(val settings: PoolSettings)
    extends SQLException("all connections are in use")
