package ducklake.spark.sparkapi.stream

/** Spark's word for what happens to columns that a query does not have. */
private[stream] object MissingColumns {

  /** They get their defaults. */
  val Filled: Boolean = true
}
