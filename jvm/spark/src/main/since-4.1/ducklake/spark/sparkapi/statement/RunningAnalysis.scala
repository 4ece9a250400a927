package ducklake.spark.sparkapi.statement

import org.apache.spark.sql.catalyst.analysis.AnalysisContext

/** Spark's analysis of a statement, in which it changes a table for the words WITH SCHEMA EVOLUTION
  * alone: ALTER TABLE and pipelines do it when they run.
  */
private[spark] object RunningAnalysis {

  /** Whether this thread analyses a statement, and has loaded tables for it. */
  def isThere: Boolean = AnalysisContext.get.relationCache.nonEmpty
}
