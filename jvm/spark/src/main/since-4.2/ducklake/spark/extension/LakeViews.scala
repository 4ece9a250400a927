package ducklake.spark.extension

import org.apache.spark.sql.SparkSessionExtensions

/** The rule that reads views of lakes in a Spark that cannot. */
object LakeViews {

  /** Adds nothing: Spark reads views of catalogs itself. */
  def addTo(@annotation.unused extensions: SparkSessionExtensions): Unit = ()
}
