package ducklake.spark.sparkapi.catalog

import org.apache.spark.sql.classic.SparkSession
import org.slf4j.LoggerFactory

import scala.util.control.NonFatal

/** Tables and queries in Spark's cache.
  *
  * No error is thrown, because the commit has been made. No error is needed, because Spark removes
  * a result from its cache before it plans the result again.
  */
private[spark] object CachedTables {

  private val log = LoggerFactory.getLogger("ducklake.spark.sparkapi.catalog.CachedTables")

  /** Lets Spark compute the cached results that read one of these tables again at their next read,
    * or removes them. Results at a snapshot that the query names stay.
    *
    * @param names of tables, as a query may spell them
    */
  def refresh(names: => Vector[Vector[String]]): Unit =
    withCache(names) { (session, name) =>
      CacheRefresh.of(session, name)
    }

  /** Removes the cached results that read one of these tables.
    *
    * @param names of tables, as a query may spell them
    */
  def drop(names: => Vector[Vector[String]]): Unit =
    withCache(names) { (session, name) =>
      session.sharedState.cacheManager.uncacheTableOrView(session, name, cascade = true)
    }

  /** Whether Spark's cache has entries. */
  def areThere: Boolean = session.exists(!_.sharedState.cacheManager.isEmpty)

  private def session: Option[SparkSession] =
    SparkSession.getActiveSession.orElse(SparkSession.getDefaultSession)

  private def withCache(names: => Vector[Vector[String]])(
      change: (SparkSession, Vector[String]) => Unit
  ): Unit =
    session.foreach { session =>
      if (!session.sharedState.cacheManager.isEmpty)
        names.foreach { name =>
          try change(session, name)
          catch {
            case interruption: InterruptedException =>
              warn(name, interruption)
              Thread.currentThread().interrupt()
            case NonFatal(failure) => warn(name, failure)
          }
        }
    }

  private def warn(name: Vector[String], failure: Throwable): Unit =
    log.warn(
      "Table {} was changed, and what Spark had cached of it could not be planned anew. " +
        "Queries read the lake now; cache them again.",
      name.mkString("."),
      failure,
    )
}
