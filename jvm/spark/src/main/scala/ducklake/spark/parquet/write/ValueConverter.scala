package ducklake.spark.parquet.write

import ducklake.catalog.types.LakeType
import ducklake.catalog.types.Literal
import ducklake.catalog.types.cast.TemporalRounding
import ducklake.catalog.types.text.ValueText
import ducklake.spark.errors.ValueSubject
import ducklake.spark.sparkapi.sql.SparkIntervals
import ducklake.spark.types.Geometries
import ducklake.spark.types.SparkTypes.TimeRule
import org.apache.spark.sql.catalyst.expressions.SpecializedGetters
import org.apache.spark.sql.types.*
import org.apache.spark.unsafe.types.UTF8String

import java.math.BigInteger
import java.nio.ByteBuffer

/** Converts a value other than NULL from Spark's internal form to the form that Parquet's writer
  * receives.
  */
trait ValueConverter {
  def apply(from: SpecializedGetters, ordinal: Int): Any
}

/** How values of one primitive type are written.
  *
  * @param fileType the column's type for Spark's Parquet writer
  * @param converter None where the writer receives Spark's value unchanged
  */
final case class PrimitiveConverter(fileType: DataType, converter: Option[ValueConverter])

/** The converters for all primitive types, by jvm/docs/types.md and format 2.1. */
object ValueConverter {

  private val microsPerDay = 86400000000L
  private val infinity = Long.MaxValue

  def primitive(
      lakeType: LakeType.Primitive,
      shown: DataType,
      rule: TimeRule,
      subject: ValueSubject,
  ): PrimitiveConverter =
    lakeType match {
      case LakeType.UInt8 =>
        converted(IntegerType)((in, at) => small(in.getShort(at).toInt, 255, subject))
      case LakeType.UInt16 =>
        converted(IntegerType)((in, at) => small(in.getInt(at), 65535, subject))
      case LakeType.UInt32 =>
        converted(IntegerType)((in, at) => unsigned32(in.getLong(at), subject))
      case LakeType.UInt64 =>
        converted(LongType)((in, at) => unsigned64(in.getDecimal(at, 20, 0), subject))
      case LakeType.UInt128 =>
        converted(shown)((in, at) => positive(in.getDecimal(at, 38, 0), subject))
      case LakeType.Time =>
        rule match {
          case TimeRule.AsTime => converted(LongType)((in, at) => in.getLong(at) / 1000L)
          case TimeRule.AsString => parsed(LongType, lakeType, subject)(ticks(_, microsPerDay))
        }
      case LakeType.TimeTz => parsed(LongType, lakeType, subject)(ticks(_, microsPerDay))
      case LakeType.Interval =>
        converted(shown)((in, at) => interval(in.getUTF8String(at), subject))
      case LakeType.Uuid => parsed(BinaryType, lakeType, subject)(uuid)
      case LakeType.Geometry(_) =>
        converted(shown)((in, at) => Geometries.checked(in.getBinary(at), subject))
      case LakeType.Json =>
        converted(shown)((in, at) => JsonText.checked(in.getUTF8String(at), subject))
      case LakeType.TimestampS =>
        converted(LongType)((in, at) => wholeSeconds(in.getLong(at), subject))
      case LakeType.TimestampMs =>
        converted(LongType)((in, at) => coarser(in.getLong(at), 1000L, subject))
      case LakeType.TimestampNs | LakeType.TimestampTzNs =>
        converted(LongType)((in, at) => nanos(in.getLong(at), subject))
      case LakeType.NullType =>
        converted(IntegerType)((_, _) => subject.refuse("a value", "the type has NULL alone"))
      case LakeType.TimeNs | LakeType.Unknown(_) =>
        converted(BinaryType)((_, _) =>
          subject.refuse("a value", "values of the type cannot be written")
        )
      case _ => PrimitiveConverter(shown, None)
    }

  private def converted(fileType: DataType)(converter: ValueConverter): PrimitiveConverter =
    PrimitiveConverter(fileType, Some(converter))

  /** A converter of values that Spark holds as DuckDB's text. */
  private def parsed(fileType: DataType, lakeType: LakeType.Primitive, subject: ValueSubject)(
      value: Literal => Any
  ): PrimitiveConverter =
    converted(fileType) { (in, at) =>
      val text = in.getUTF8String(at).toString
      ValueText.parseCast(text, lakeType).fold[Any](notOfType(text, subject))(value)
    }

  private def notOfType(text: String, subject: ValueSubject): Nothing =
    subject.refuse(s"`$text`", "it is no value of the type")

  private def outOfRange(value: Any, subject: ValueSubject): Nothing =
    subject.refuse(value.toString, "it lies outside the type's range")

  private def small(value: Int, max: Int, subject: ValueSubject): Int =
    if (value < 0 || value > max) outOfRange(value, subject) else value

  private def unsigned32(value: Long, subject: ValueSubject): Int =
    if (value < 0 || value > 0xffffffffL) outOfRange(value, subject) else value.toInt

  private def unsigned64(value: Decimal, subject: ValueSubject): Long = {
    val whole = value.toJavaBigDecimal.unscaledValue
    if (whole.signum < 0 || whole.bitLength > 64) outOfRange(whole, subject) else whole.longValue
  }

  private def positive(value: Decimal, subject: ValueSubject): Decimal =
    if (value.toJavaBigDecimal.signum < 0) outOfRange(value, subject) else value

  /** Microseconds since midnight. A time with an offset is converted to UTC, as DuckDB writes it.
    */
  private def ticks(literal: Literal, perDay: Long): Long =
    literal match {
      case Literal.Time(micros) => micros
      case Literal.TimeTz(micros, offset) => Math.floorMod(micros - offset * 1000000L, perDay)
      case other => throw new IllegalArgumentException(s"$other is no time")
    }

  private def uuid(literal: Literal): Array[Byte] =
    literal match {
      case Literal.Uuid(value) =>
        val bytes = ByteBuffer.allocate(16)
        bytes.putLong(value.getMostSignificantBits).putLong(value.getLeastSignificantBits).array()
      case other => throw new IllegalArgumentException(s"$other is no UUID")
    }

  /** DuckDB's text of an interval: Parquet's library cannot write intervals, and DuckDB reads them
    * from text too. Negative intervals are refused, because DuckDB would fail when it rewrites the
    * file.
    */
  private def interval(text: UTF8String, subject: ValueSubject): UTF8String =
    SparkIntervals.parse(text.toString) match {
      case Some(Literal.Interval(months, days, micros)) if months < 0 || days < 0 || micros < 0 =>
        subject.refuse(s"`$text`", "Parquet files hold no negative intervals")
      case Some(value) =>
        val printed = ValueText.print(value, LakeType.Interval)
        printed.fold[UTF8String](notOfType(text.toString, subject))(UTF8String.fromString)
      case None => notOfType(text.toString, subject)
    }

  private def wholeSeconds(micros: Long, subject: ValueSubject): Long = {
    val seconds = coarser(micros, 1000000L, subject)
    if (seconds == infinity || seconds == -infinity) seconds else seconds * 1000000L
  }

  private def coarser(micros: Long, microsPerUnit: Long, subject: ValueSubject): Long = {
    val units = TemporalRounding.ofMicros(micros, microsPerUnit)
    if (TemporalRounding.isInMicros(units, microsPerUnit)) units else farTime(micros, subject)
  }

  private def farTime(micros: Long, subject: ValueSubject): Nothing =
    outOfRange(s"the timestamp of $micros microseconds", subject)

  private def nanos(micros: Long, subject: ValueSubject): Long =
    if (micros == infinity || micros == -infinity) micros
    else {
      val exact = BigInteger.valueOf(micros).multiply(BigInteger.valueOf(1000L))
      if (exact.bitLength > 63) farTime(micros, subject) else exact.longValue
    }
}
