package ducklake.spark.sparkapi.sql

/** Spark's settings for the variants of new files. Spark 4.0 writes no variants. */
private[spark] object VariantSettings {

  /** Whether the first rows of a file say which columns the values of its variants get. */
  def infersColumns: Boolean = false
}
