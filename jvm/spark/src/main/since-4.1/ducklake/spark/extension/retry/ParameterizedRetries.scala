package ducklake.spark.extension.retry

import org.apache.spark.sql.SparkSessionExtensions

/** The rule that makes statements with parameters run again after a conflict. */
private[spark] object ParameterizedRetries {

  /** Adds nothing: the parser sees statements with the values of their parameters. */
  def addTo(@annotation.unused extensions: SparkSessionExtensions): Unit = ()
}
