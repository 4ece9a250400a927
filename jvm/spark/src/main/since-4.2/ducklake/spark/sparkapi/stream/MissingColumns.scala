package ducklake.spark.sparkapi.stream

import org.apache.spark.sql.catalyst.analysis.TableOutputResolver.DefaultValueFillMode

/** Spark's word for what happens to columns that a query does not have. */
private[stream] object MissingColumns {

  /** They get their defaults. */
  val Filled: DefaultValueFillMode.Value = DefaultValueFillMode.FILL
}
