package ducklake.spark.sparkapi.catalog

import org.apache.spark.sql.classic.SparkSession

/** What becomes of cached results when a table that they read has changed. */
private[catalog] object CacheRefresh {

  /** Lets Spark compute them again at their next read. */
  def of(session: SparkSession, table: Seq[String]): Unit =
    session.sharedState.cacheManager.recacheTableOrView(session, table, includeTimeTravel = false)
}
