package ducklake.spark.types

import ducklake.catalog.types.Column
import ducklake.catalog.types.LakeType
import ducklake.catalog.types.Literal

/** Values that change when a row is read into Spark's types and written to a file again: digits
  * below the microsecond are lost; times lose their offsets, because files keep only the time in
  * UTC; and Spark's variants have no type for some values.
  */
object LostValues {

  private val nanosPerMicro = 1000L

  /** Whether the column's type can hold such values. */
  def mayBeIn(column: Column): Boolean =
    column.dataType match {
      case LakeType.TimestampNs | LakeType.TimestampTzNs | LakeType.TimeTz | LakeType.Variant =>
        true
      case _ => column.children.exists(mayBeIn)
    }

  /** Whether the column's value is such a value or contains one. */
  def isIn(value: Literal, column: Column): Boolean =
    value match {
      case Literal.Timestamp(ticks) => isInNanos(column.dataType) && isCut(ticks)
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

  /** Whether the type's values are nanoseconds since 1970. */
  def isInNanos(lakeType: LakeType): Boolean =
    lakeType == LakeType.TimestampNs || lakeType == LakeType.TimestampTzNs

  /** Whether nanoseconds since 1970 are not a whole number of microseconds. Infinite values are
    * never cut.
    */
  def isCut(nanos: Long): Boolean =
    nanos % nanosPerMicro != 0 && nanos != Long.MaxValue && nanos != -Long.MaxValue
}
