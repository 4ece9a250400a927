package ducklake.catalog.jdbc

/** Limits of a lake's connections to a server. `size` is the largest number of connections at once.
  *
  * @param waitMillis how long a call waits for a connection
  */
final case class PoolSettings(size: Int, waitMillis: Long)

object PoolSettings {

  /** Eight connections, enough for the statements that one Spark driver usually runs at once. */
  val default: PoolSettings = PoolSettings(8, 30000L)
}
