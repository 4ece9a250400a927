package ducklake.spark.sparkapi.stream

import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.execution.ducklake.StreamedQuery

/** The id of the streaming query that this thread of the driver runs, which its checkpoint keeps over
  * restarts. Spark does not pass it on to sources.
  */
private[spark] object StreamingQueryId {

  /** None outside of a streaming query. */
  def ofThread(): Option[String] =
    SparkSession.getActiveSession.flatMap { session =>
      Option(session.sparkContext.getLocalProperty(StreamedQuery.IdProperty))
    }
}
