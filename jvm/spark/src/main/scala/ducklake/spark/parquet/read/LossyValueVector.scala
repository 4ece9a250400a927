package ducklake.spark.parquet.read

import ducklake.catalog.types.LakeType
import ducklake.spark.parquet.vector.DerivedVector
import ducklake.spark.parquet.vector.FileType
import ducklake.spark.types.LostValues
import org.apache.spark.sql.execution.vectorized.WritableColumnVector
import org.apache.spark.sql.types.LongType
import org.apache.spark.unsafe.types.UTF8String

/** Tests whether a row of a batch loses data in Spark's types. */
trait LossyRowTest {
  def apply(row: Int): Boolean
}

/** A vector with, for each row, the id of the first column whose value loses data in Spark's types;
  * 0 when no value does.
  *
  * @param columns ids of the columns and their tests
  */
final class LossyValueVector(columns: Vector[(Long, LossyRowTest)])
    extends DerivedVector(LongType) {

  private val ids = columns.map(_._1).toArray
  private val tests = columns.map(_._2).toArray

  override def hasNull: Boolean = false
  override def numNulls: Int = 0
  override def isNullAt(row: Int): Boolean = false

  override def getLong(row: Int): Long = {
    val found = tests.indexWhere(_(row))
    if (found < 0) 0L else ids(found)
  }
}

object LossyValueVector {

  /** The test for one column; None when no row can lose data.
    *
    * @param read the vector that the reader fills for the plan
    */
  def test(plan: ColumnPlan, read: => WritableColumnVector): Option[LossyRowTest] =
    plan match {
      case ColumnPlan.Constant(_, _, isExact) => Option.unless(isExact)(_ => true)
      case leaf: ColumnPlan.Leaf if isInNanos(leaf) => Some(ofNanos(read))
      case leaf: ColumnPlan.Leaf if isUnknownToVariants(leaf) => Some(!read.isNullAt(_))
      case leaf: ColumnPlan.Leaf => Option.when(isTimeInText(leaf))(ofOffsets(read))
      case ColumnPlan.Struct(_, fields, _) =>
        ofParts(ordinals(fields.map(_._2)), read, (test, row) => test(row))
      case ColumnPlan.List(_, element) =>
        ofParts(Vector((element, 0)), read, inRange(read))
      case ColumnPlan.Entries(_, key, value) =>
        ofParts(Vector((key, 0), (value, 1)), read, inRange(read))
      case ColumnPlan.Variant(_, shape) => Some(VariantLoss.test(read, first = 1, shape))
      case ColumnPlan.Extracted(_, variant) => test(variant, read)
    }

  /** Each plan with the index of its vector. A constant plan has no vector, so its index has no
    * meaning.
    */
  def ordinals(plans: Vector[ColumnPlan]): Vector[(ColumnPlan, Int)] =
    plans.zip(plans.scanLeft(0)((next, plan) => next + plan.requested.size))

  private def ofNanos(read: WritableColumnVector): LossyRowTest =
    row => !read.isNullAt(row) && LostValues.isCut(read.getLong(row))

  /** A test for times that the file holds as texts: only these have an offset. */
  private def ofOffsets(read: WritableColumnVector): LossyRowTest =
    row => !read.isNullAt(row) && !read.getUTF8String(row).endsWith(utc)

  private val utc = UTF8String.fromString("+00")

  private def isTimeInText(leaf: ColumnPlan.Leaf): Boolean =
    leaf.lakeType == LakeType.TimeTz && FileType.of(leaf.file.stored).contains(FileType.Text)

  private def ofParts(
      parts: Vector[(ColumnPlan, Int)],
      read: WritableColumnVector,
      isLostIn: (LossyRowTest, Int) => Boolean,
  ): Option[LossyRowTest] = {
    val tests = parts.flatMap { case (part, ordinal) => test(part, read.getChild(ordinal)) }
    Option.when(tests.nonEmpty)(row => !read.isNullAt(row) && tests.exists(isLostIn(_, row)))
  }

  private[read] def inRange(read: WritableColumnVector)(test: LossyRowTest, row: Int): Boolean = {
    val first = read.getArrayOffset(row)
    (first until first + read.getArrayLength(row)).exists(test(_))
  }

  private def isInNanos(leaf: ColumnPlan.Leaf): Boolean =
    LostValues.isInNanos(leaf.lakeType) &&
      FileType.of(leaf.file.stored).exists(_.isInNanos)

  /** Whether a column's type was changed to variant and the file holds a type that Spark's variants
    * do not have.
    */
  private def isUnknownToVariants(leaf: ColumnPlan.Leaf): Boolean =
    leaf.lakeType == LakeType.Variant && FileType.of(leaf.file.stored).exists(VariantLoss.isOf)
}
