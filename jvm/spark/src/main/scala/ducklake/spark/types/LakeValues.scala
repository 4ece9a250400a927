package ducklake.spark.types

import ducklake.catalog.error.LakeError
import ducklake.catalog.error.LakeException
import ducklake.catalog.types.Column
import ducklake.catalog.types.LakeType
import ducklake.catalog.types.Literal
import ducklake.catalog.types.TypeText
import ducklake.catalog.types.cast.TemporalRounding
import ducklake.catalog.types.text.ValueText
import org.apache.spark.sql.types.Decimal
import org.apache.spark.unsafe.types.UTF8String

import scala.collection.immutable.ArraySeq

/** Converts values in Spark's internal form to literals of a column's DuckLake type: the values
  * that a file holds, by jvm/docs/types.md.
  */
object LakeValues {

  private val infinity = Long.MaxValue

  /** The literal of a value other than NULL, for a column that is not nested.
    *
    * Errors: InvalidValue for a value that the column's type cannot hold.
    */
  def literal(value: Any, column: Column, lakeType: LakeType.Primitive): Literal =
    find(value, lakeType).getOrElse {
      throw new LakeException(
        LakeError.InvalidValue(
          column.name,
          s"`$value`",
          TypeText.print(lakeType),
          "it is no value of the type",
        )
      )
    }

  /** Like [[literal]], but None for a value that the type cannot hold. */
  def find(value: Any, lakeType: LakeType.Primitive): Option[Literal] =
    (value, lakeType) match {
      case (v: Boolean, _) => Some(Literal.Bool(v))
      case (v: Float, _) => Some(Literal.Floating(v.toDouble))
      case (v: Double, _) => Some(Literal.Floating(v))
      case (v: Decimal, LakeType.Decimal(_, scale)) =>
        Some(Literal.Dec(v.toJavaBigDecimal.setScale(scale)))
      case (v: Decimal, _) => ValueText.integer(BigInt(v.toJavaBigDecimal.toBigInteger), lakeType)
      case (v: Array[Byte], _) => Some(Literal.Bytes(ArraySeq.unsafeWrapArray(v)))
      case (v: UTF8String, _) => ValueText.parseCast(v.toString, lakeType)
      case _ =>
        PartialFunction
          .condOpt(value) {
            case v: Byte => v.toLong
            case v: Short => v.toLong
            case v: Int => v.toLong
            case v: Long => v
          }
          .flatMap(number(_, lakeType))
    }

  private def number(value: Long, lakeType: LakeType.Primitive): Option[Literal] =
    lakeType match {
      case LakeType.Date => Some(Literal.Date(value.toInt))
      case LakeType.Time => Some(Literal.Time(value / 1000L))
      case LakeType.Timestamp | LakeType.TimestampTz => Some(Literal.Timestamp(value))
      case LakeType.TimestampS => coarser(value, 1000000L)
      case LakeType.TimestampMs => coarser(value, 1000L)
      case LakeType.TimestampNs | LakeType.TimestampTzNs => nanos(value)
      case _ => ValueText.integer(BigInt(value), lakeType)
    }

  private def coarser(micros: Long, microsPerUnit: Long): Option[Literal] = {
    val units = TemporalRounding.ofMicros(micros, microsPerUnit)
    Option.when(TemporalRounding.isInMicros(units, microsPerUnit))(Literal.Timestamp(units))
  }

  private def nanos(micros: Long): Option[Literal] =
    if (micros == infinity || micros == -infinity) Some(Literal.Timestamp(micros))
    else {
      val exact = BigInt(micros) * 1000
      Option.when(exact.isValidLong)(Literal.Timestamp(exact.toLong))
    }
}
