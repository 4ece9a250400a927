package ducklake.spark.sparkapi.sql

import org.apache.spark.sql.types.DataType
import org.apache.spark.sql.types.StringType

/** Spark's type TIME, which Spark 4.0 does not have. */
object TimeOfDay {

  /** The type of columns with microseconds: text stands for it. */
  val micros: DataType = StringType

  def unapply(@annotation.unused dataType: DataType): Boolean = false

  /** Whether the session can work with columns of this type. */
  def isEnabled: Boolean = false
}
