package ducklake.spark.parquet.read

import ducklake.spark.parquet.vector.FileType
import ducklake.spark.types.SparkVariants
import org.apache.spark.sql.execution.vectorized.WritableColumnVector

/** Tests whether a variant holds a value of a type that Spark's variants do not have. */
private[read] object VariantLoss {

  /** The test for a variant of this shape.
    *
    * @param first index of the shape's first column among the children of `below`
    */
  def test(below: WritableColumnVector, first: Int, shape: VariantShape): LossyRowTest = {
    val binary = Option.when(shape.value)(ofBinary(below.getChild(first)))
    val own = shape.typed.flatMap(typed(_, below.getChild(first + binary.size)))
    val tests = (binary ++ own).toVector
    row => tests.exists(_(row))
  }

  /** Whether values of a column of this type become other values in Spark's variants. */
  def isOf(file: FileType): Boolean =
    file match {
      case FileType.Time(_) => true
      case other => other.isInNanos
    }

  private def ofBinary(value: WritableColumnVector): LossyRowTest =
    row => !value.isNullAt(row) && !SparkVariants.isKnown(value.getBinary(row))

  private def typed(kind: VariantShape.Typed, vector: WritableColumnVector): Option[LossyRowTest] =
    kind match {
      case VariantShape.Scalar(leaf, _, _, _) =>
        Option.when(FileType.of(leaf.stored).exists(isOf))(!vector.isNullAt(_))
      case VariantShape.Items(element) =>
        val items = test(vector.getChild(0), 0, element)
        Some(row => !vector.isNullAt(row) && LossyValueVector.inRange(vector)(items, row))
      case VariantShape.Fields(fields) =>
        val tests = fields.zipWithIndex.map { case ((_, shape), index) =>
          test(vector.getChild(index), 0, shape)
        }
        Some(row => !vector.isNullAt(row) && tests.exists(_(row)))
    }
}
