package ducklake.spark.sparkapi.sql

import org.apache.spark.sql.types.DataType
import org.apache.spark.sql.types.GeometryType

/** Spark's type GEOMETRY. */
private[spark] object GeometryColumn {
  def unapply(dataType: DataType): Boolean = dataType.isInstanceOf[GeometryType]
}
