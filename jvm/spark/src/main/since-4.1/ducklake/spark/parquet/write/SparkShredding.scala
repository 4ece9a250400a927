package ducklake.spark.parquet.write

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.execution.datasources.parquet.InferVariantShreddingSchema
import org.apache.spark.sql.execution.datasources.parquet.SparkShreddingUtils
import org.apache.spark.sql.types.DataType
import org.apache.spark.sql.types.StructType

/** The types with which Spark's Parquet writer gives columns to the values of a variant. */
private[write] object SparkShredding {

  /** The type of a variant whose values of this type have columns. */
  def of(values: DataType): StructType =
    SparkShreddingUtils.addWriteShreddingMetadata(
      SparkShreddingUtils.variantShreddingSchema(values)
    )

  def isShredded(variant: StructType): Boolean =
    SparkShreddingUtils.isVariantShreddingStruct(variant)

  /** The rows' type with such a type for each variant that is not in a list or map, by Spark's own
    * rules.
    */
  def inferred(rowType: StructType, rows: Vector[InternalRow]): StructType =
    new InferVariantShreddingSchema(rowType).inferSchema(rows)
}
