package ducklake.spark.extension

import org.apache.spark.sql.SparkSessionExtensions

/** The rule that refuses MERGE WITH SCHEMA EVOLUTION in a Spark that does not do what it says. */
object EvolvingMerge {

  /** Adds nothing: the new columns are part of the statement's transaction, and the catalog refuses
    * them outside of one.
    */
  def addTo(@annotation.unused extensions: SparkSessionExtensions): Unit = ()
}
