package ducklake.spark.parquet.write

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.unsafe.types.GeographyVal
import org.apache.spark.unsafe.types.GeometryVal

/** A row in the place of another row, whose values need no converter where only some versions of
  * Spark have the type.
  */
private[write] abstract class RowOver extends InternalRow {

  protected def under: InternalRow

  override def getGeography(ordinal: Int): GeographyVal = under.getGeography(ordinal)

  override def getGeometry(ordinal: Int): GeometryVal = under.getGeometry(ordinal)
}
