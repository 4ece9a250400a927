package ducklake.spark.sparkapi.stream

import org.apache.spark.sql.SparkSession

/** Whether this thread of the driver runs a streaming query with a continuous trigger. Spark does
  * not pass this on to sinks.
  */
private[spark] object ContinuousQuery {

  /** Spark's name for a property of the jobs of these queries, the same in all versions. */
  private val Property = "__is_continuous_processing"

  def isRunning: Boolean =
    SparkSession.active.sparkContext.getLocalProperty(Property) == "true"
}
