package ducklake.spark.parquet.rowgroup

import org.apache.spark.sql.types.ArrayType
import org.apache.spark.sql.types.DataType
import org.apache.spark.sql.types.MapType
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.types.VariantType

/** How values of columns stand in pages. */
private[parquet] sealed trait Nesting

private[parquet] object Nesting {

  /** A row has one value or none. */
  case object Flat extends Nesting

  /** There are structs, but a row is one value or none of each leaf. */
  case object Inner extends Nesting

  /** A row has any number of values. */
  case object Repeated extends Nesting

  /** That of columns which are read together. */
  def of(columns: StructType): Nesting = {
    val types = columns.fields.map(_.dataType)
    if (types.exists(hasRepeated)) Repeated
    else if (types.exists(isNested)) Inner
    else Flat
  }

  private def hasRepeated(dataType: DataType): Boolean =
    dataType match {
      case struct: StructType => struct.fields.exists(field => hasRepeated(field.dataType))
      case _: ArrayType | _: MapType => true
      case _ => false
    }

  private def isNested(dataType: DataType): Boolean =
    dataType match {
      case _: StructType | _: VariantType => true
      case _ => false
    }
}
