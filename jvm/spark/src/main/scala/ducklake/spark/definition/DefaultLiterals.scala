package ducklake.spark.definition

import ducklake.catalog.error.LakeException
import ducklake.catalog.predicate.Comparison
import ducklake.catalog.types.LakeType
import ducklake.catalog.types.Literal
import ducklake.catalog.types.text.ValueText
import ducklake.spark.predicate.LiteralFromSpark
import ducklake.spark.types.LakeTypes
import ducklake.spark.types.LakeValues
import org.apache.spark.sql.types.DataType
import org.apache.spark.unsafe.types.UTF8String

import scala.collection.immutable.ArraySeq

/** Converts the constants in a default's SQL text to values of the lake. */
private[definition] object DefaultLiterals {

  /** A value in Spark's internal form as a literal of the lake's type. None when the type has no
    * constant for it.
    */
  def of(value: Any, lakeType: LakeType.Primitive): Option[Literal] =
    (value, lakeType) match {
      case (bytes: Array[Byte], LakeType.Blob) =>
        Some(Literal.Bytes(ArraySeq.unsafeWrapArray(bytes.clone())))
      case (nanos: Long, LakeType.Time) => Some(Literal.Time(nanos / nanosPerMicro))
      case (micros: Long, LakeType.TimestampNs | LakeType.TimestampTzNs) =>
        LakeValues.find(micros, lakeType)
      case (text: UTF8String, stored) =>
        if (text.isValid) ValueText.parseCast(text.toString, stored) else None
      case (other, _) => LiteralFromSpark.ofInternal(other, lakeType, Comparison.Equal)
    }

  private val nanosPerMicro = 1000L

  /** The lake's type for a type of Spark. None for nested types, and for types that a lake cannot
    * store.
    */
  def typeOf(dataType: DataType): Option[LakeType.Primitive] =
    try
      LakeTypes.column("value", dataType).dataType match {
        case known: LakeType.Primitive => Some(known)
        case _: LakeType.Nested => None
      }
    catch { case _: LakeException => None }
}
