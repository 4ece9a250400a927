package ducklake.spark.sparkapi.catalog

import org.apache.spark.sql.classic.SparkSession

/** What becomes of cached results when a table that they read has changed. */
private[catalog] object CacheRefresh {

  /** Removes them: Spark 4.0 cannot compute them again by a table's name. */
  def of(session: SparkSession, table: Seq[String]): Unit =
    session.sharedState.cacheManager.uncacheTableOrView(session, table, cascade = true)
}
