package ducklake.spark.extension

import org.apache.spark.sql.SparkSessionExtensions

/** The rule that refuses MERGE WITH SCHEMA EVOLUTION in a Spark that ignores the clause. */
object EvolvingMerge {

  /** Adds nothing: Spark adds the columns. */
  def addTo(@annotation.unused extensions: SparkSessionExtensions): Unit = ()
}
