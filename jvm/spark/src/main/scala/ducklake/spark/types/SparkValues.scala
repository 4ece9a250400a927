package ducklake.spark.types

import ducklake.catalog.error.LakeError
import ducklake.catalog.error.LakeException
import ducklake.catalog.types.Column
import ducklake.catalog.types.LakeType
import ducklake.catalog.types.Literal
import ducklake.catalog.types.TypeText
import ducklake.catalog.types.inlined.Defaults
import ducklake.catalog.types.text.ValueText
import ducklake.spark.sparkapi.sql.TimeOfDay
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.util.ArrayBasedMapData
import org.apache.spark.sql.catalyst.util.GenericArrayData
import org.apache.spark.sql.types.*
import org.apache.spark.unsafe.types.UTF8String

/** Converts literals to values in Spark's internal form, by jvm/docs/types.md. */
object SparkValues {

  private val microsPerDay = 86400000000L
  private val nanosPerMicro = 1000L
  private val infinity = Long.MaxValue

  /** The value in Spark's internal form; null for NULL. `column` has the same fields as `shown`.
    *
    * Errors: `InvalidValue` for a value that Spark's type cannot hold.
    */
  def internal(literal: Literal, column: Column, shown: DataType): Any =
    (literal, column.dataType, shown) match {
      case (Literal.Null, _, _) => null
      case (Literal.ListValue(items), LakeType.ListType, ArrayType(elementType, _)) =>
        val element = column.children.head
        new GenericArrayData(items.map(internal(_, element, elementType)).toArray[Any])
      case (Literal.MapValue(entries), LakeType.MapType, MapType(keyType, valueType, _)) =>
        val Vector(key, value) = column.children: @unchecked
        new ArrayBasedMapData(
          new GenericArrayData(entries.map(e => internal(e._1, key, keyType)).toArray[Any]),
          new GenericArrayData(entries.map(e => internal(e._2, value, valueType)).toArray[Any]),
        )
      case (Literal.StructValue(fields), LakeType.StructType, struct: StructType) =>
        val values = fields.lazyZip(column.children).lazyZip(struct.fields.toVector).map {
          (field, child, shownField) => internal(field, child, shownField.dataType)
        }
        InternalRow.fromSeq(values)
      case (_, primitive: LakeType.Primitive, _) => scalar(literal, column, primitive, shown)
      case _ => refuse(column, literal)
    }

  /** The column's value in rows of files that do not have the column.
    *
    * Errors: `InvalidValue` when the stored text is not a value of the type.
    */
  def initialDefault(column: Column): Literal =
    (column.initialDefault, column.dataType) match {
      case (Some(text), _: LakeType.Nested) =>
        throw invalid(column, text, "initial defaults of nested types cannot be read")
      case _ => Defaults.initial(column).fold(error => throw new LakeException(error), identity)
    }

  private def scalar(
      literal: Literal,
      column: Column,
      lakeType: LakeType.Primitive,
      shown: DataType,
  ): Any =
    (literal, shown) match {
      case (Literal.Bool(value), BooleanType) => value
      case (Literal.Integral(value), ByteType) => value.toByte
      case (Literal.Integral(value), ShortType) => value.toShort
      case (Literal.Integral(value), IntegerType) => value.toInt
      case (Literal.Integral(value), LongType) => value
      case (Literal.BigIntegral(value), decimal: DecimalType) =>
        fitting(new java.math.BigDecimal(value.bigInteger), decimal, column)
      case (Literal.Floating(value), FloatType) => value.toFloat
      case (Literal.Floating(value), DoubleType) => value
      case (Literal.Dec(value), decimal: DecimalType) => fitting(value, decimal, column)
      case (Literal.Date(days), DateType) => days
      case (Literal.Time(micros), TimeOfDay()) => nanosOfDay(micros, column)
      case (Literal.Timestamp(ticks), TimestampType | TimestampNTZType) =>
        micros(ticks, lakeType, column)
      case (Literal.Bytes(value), BinaryType) => value.toArray
      case (Literal.Variant(_, value), VariantType) if value == SparkVariants.nullValue => null
      case (Literal.Variant(metadata, value), VariantType) =>
        SparkVariants.readable(value.toArray, metadata.toArray)
      case (_, StringType) =>
        ValueText
          .print(literal, lakeType)
          .map(UTF8String.fromString)
          .getOrElse(refuse(column, literal))
      case _ => refuse(column, literal)
    }

  private def fitting(value: java.math.BigDecimal, shown: DecimalType, column: Column): Decimal =
    if (value.precision - value.scale > shown.precision - shown.scale)
      throw invalid(column, value.toPlainString, "Spark's type for the column cannot hold it")
    else Decimal(value.setScale(shown.scale), shown.precision, shown.scale)

  private def nanosOfDay(micros: Long, column: Column): Long =
    if (micros < microsPerDay) micros * nanosPerMicro
    else throw invalid(column, "24:00:00", "Spark's TIME ends before it")

  private def micros(ticks: Long, lakeType: LakeType.Primitive, column: Column): Long = {
    val perSecond = ValueText.ticksPerSecond(lakeType)
    if (ticks == infinity || ticks == -infinity) ticks
    else if (perSecond > 1000000L) Math.floorDiv(ticks, perSecond / 1000000L)
    else
      try Math.multiplyExact(ticks, 1000000L / perSecond)
      catch {
        case _: ArithmeticException =>
          throw invalid(column, ticks.toString, "it lies outside Spark's timestamps")
      }
  }

  private def refuse(column: Column, literal: Literal): Nothing =
    throw invalid(column, literal.toString, "it is no value of the type")

  private def invalid(column: Column, value: String, why: String): LakeException =
    new LakeException(
      LakeError.InvalidValue(column.name, value, TypeText.print(column.dataType), why)
    )
}
