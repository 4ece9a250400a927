package ducklake.spark.types

import ducklake.catalog.model.Column
import ducklake.catalog.types.LakeType
import ducklake.catalog.types.Literal

/** Values that come back as others when a row is read into Spark's types and written to a file: digits
  * below the microsecond, the offsets of times, of which files keep only the time in UTC, and what
  * Spark's variants have no type for.
  */
object LostValues {

  private val nanosPerMicro = 1000L

  /** Whether a column can hold such values at all. */
  def mayBeIn(column: Column): Boolean =
    column.dataType match {
      case LakeType.TimestampNs | LakeType.TimeTz | LakeType.Variant => true
      case _ => column.children.exists(mayBeIn)
    }

  /** Whether the value of the column is one, or holds one. */
  def isIn(value: Literal, column: Column): Boolean =
    value match {
      case Literal.Timestamp(ticks) => column.dataType == LakeType.TimestampNs && isCut(ticks)
      case Literal.TimeTz(_, offset) => offset != 0
      case Literal.Variant(_, bytes) => !SparkVariants.isKnown(bytes.toArray)
      case Literal.ListValue(items) => items.exists(isIn(_, column.children.head))
      case Literal.StructValue(fields) =>
        fields.zip(column.children).exists { case (field, child) => isIn(field, child) }
      case Literal.MapValue(entries) =>
        entries.exists { case (key, item) =>
          isIn(key, column.children.head) || isIn(item, column.children(1))
        }
      case _ => false
    }

  /** Whether nanoseconds since 1970 are no whole microseconds; infinities are kept. */
  def isCut(nanos: Long): Boolean =
    nanos % nanosPerMicro != 0 && nanos != Long.MaxValue && nanos != -Long.MaxValue
}
