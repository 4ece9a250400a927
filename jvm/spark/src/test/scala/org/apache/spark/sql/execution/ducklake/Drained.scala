package org.apache.spark.sql.execution.ducklake

import org.apache.spark.sql.classic.SparkSession

/** Waits until Spark's listeners have heard all; only Spark's own packages may name its bus. */
object Drained {
  def apply(session: SparkSession): Unit = session.sparkContext.listenerBus.waitUntilEmpty()
}
