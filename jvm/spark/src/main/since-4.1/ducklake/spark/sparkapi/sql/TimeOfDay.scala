package ducklake.spark.sparkapi.sql

import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.DataType
import org.apache.spark.sql.types.TimeType

/** Spark's type TIME. */
object TimeOfDay {

  /** The type of columns with microseconds. */
  val micros: DataType = TimeType(TimeType.MICROS_PRECISION)

  def unapply(dataType: DataType): Boolean = dataType.isInstanceOf[TimeType]

  /** Whether the session can work with columns of this type. */
  def isEnabled: Boolean = SQLConf.get.isTimeTypeEnabled
}
