package ducklake.spark.sparkapi.stream

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.connector.write.LogicalWriteInfo
import org.apache.spark.sql.execution.ducklake.StreamedQuery

/** The table of a stream that writes. Spark loads it when the query starts; since Spark 4.2 for each
  * epoch, unless the query names it by a format.
  */
private[spark] object EpochTable {

  /** Whether the write is an epoch of a running query, whose table may have changed meanwhile. A
    * write of `foreachBatch` has an id of its own.
    */
  def isOld(write: LogicalWriteInfo): Boolean =
    Option(SparkSession.active.sparkContext.getLocalProperty(StreamedQuery.IdProperty))
      .contains(write.queryId())
}
