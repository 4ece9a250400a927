package ducklake.spark.parquet.write

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.DataType
import org.apache.spark.sql.types.StructType

/** The types with which Spark's Parquet writer gives columns to the values of a variant. Spark 4.0
  * writes no variants.
  */
private[write] object SparkShredding {

  def of(values: DataType): StructType =
    throw new UnsupportedOperationException(s"a variant with columns of ${values.sql}")

  def isShredded(variant: StructType): Boolean = false

  def inferred(rowType: StructType, rows: Vector[InternalRow]): StructType =
    throw new UnsupportedOperationException(s"variants of ${rows.size} rows of ${rowType.sql}")
}
