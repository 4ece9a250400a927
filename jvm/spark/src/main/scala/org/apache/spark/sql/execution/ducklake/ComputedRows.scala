package org.apache.spark.sql.execution.ducklake

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.types.StructType

/** Rows of Spark's own form as a plan, which Scala allows only in Spark's own packages; in byte code
  * the method is public. The plan's class takes other arguments in each version of Spark.
  */
object ComputedRows {
  def plan(session: SparkSession, rows: RDD[InternalRow], schema: StructType): LogicalPlan =
    session.internalCreateDataFrame(rows, schema).queryExecution.analyzed
}
