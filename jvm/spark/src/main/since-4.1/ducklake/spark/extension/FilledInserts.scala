package ducklake.spark.extension

import org.apache.spark.sql.SparkSessionExtensions

/** The rule that gives columns that an INSERT leaves out their defaults. */
object FilledInserts {

  /** Adds nothing: Spark fills the columns. */
  def addTo(@annotation.unused extensions: SparkSessionExtensions): Unit = ()
}
