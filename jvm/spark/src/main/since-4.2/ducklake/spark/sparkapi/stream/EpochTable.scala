package ducklake.spark.sparkapi.stream

import org.apache.spark.sql.connector.write.LogicalWriteInfo

/** The table of a stream that writes. */
private[spark] object EpochTable {

  /** Whether the table may have changed since Spark loaded it: Spark loads it for each epoch. */
  def isOld(@annotation.unused write: LogicalWriteInfo): Boolean = false
}
