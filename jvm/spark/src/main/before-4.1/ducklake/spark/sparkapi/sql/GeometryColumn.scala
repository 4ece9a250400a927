package ducklake.spark.sparkapi.sql

import org.apache.spark.sql.types.DataType

/** Spark's type GEOMETRY, which Spark 4.0 does not have. */
private[spark] object GeometryColumn {
  def unapply(@annotation.unused dataType: DataType): Boolean = false
}
