package ducklake.spark.extension

import org.apache.spark.sql.SparkSessionExtensions

/** The rule that has row-level statements rewritten before the rules that change the result. */
object RewrittenStatements {

  /** Adds nothing: Spark rewrites them before the rules of extensions that come last. */
  def addTo(@annotation.unused extensions: SparkSessionExtensions): Unit = ()
}
