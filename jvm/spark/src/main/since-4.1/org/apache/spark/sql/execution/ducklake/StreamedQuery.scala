package org.apache.spark.sql.execution.ducklake

import org.apache.spark.sql.execution.streaming.runtime.StreamExecution

/** Spark's class of a running streaming query, which Spark 4.1 has moved to another package. */
object StreamedQuery {

  type StreamedQuery = StreamExecution

  val implementation: Class[StreamedQuery] = classOf[StreamExecution]

  /** The local property of a thread that has the id of its query. */
  val IdProperty: String = StreamExecution.QUERY_ID_KEY
}
