package ducklake.spark.parquet.write

import ducklake.catalog.types.LakeType
import ducklake.catalog.types.Literal
import ducklake.catalog.types.text.ValueText
import ducklake.spark.errors.ValueSubject
import org.apache.parquet.io.api.Binary
import org.apache.parquet.io.api.RecordConsumer
import org.apache.spark.sql.types.Decimal
import org.apache.spark.sql.types.DecimalType

import java.math.BigInteger
import java.nio.ByteBuffer

/** Writes values that are not nested, in the physical types of [[FileSchemaBuilder]]. */
private[write] object LiteralLeaf {

  /** Writes one value. Errors: InvalidValue for a value that the file's type cannot hold exactly.
    */
  def write(
      out: RecordConsumer,
      value: Literal,
      lakeType: LakeType.Primitive,
      subject: ValueSubject,
  ): Unit =
    (value, lakeType) match {
      case (Literal.Bool(flag), LakeType.Bool) => out.addBoolean(flag)
      case (Literal.Integral(number), LakeType.Int64) => out.addLong(number)
      case (Literal.Integral(number), _) => out.addInteger(number.toInt)
      case (Literal.BigIntegral(number), LakeType.UInt64) => out.addLong(number.toLong)
      case (Literal.BigIntegral(number), _) =>
        if (number.abs >= decimalLimit)
          subject.refuse(number.toString, "Parquet files hold 38 digits at most")
        unscaled(out, number.bigInteger, DecimalType.MAX_PRECISION)
      case (Literal.Floating(number), LakeType.Float32) => out.addFloat(number.toFloat)
      case (Literal.Floating(number), _) => out.addDouble(number)
      case (Literal.Dec(number), LakeType.Decimal(precision, _)) =>
        unscaled(out, number.unscaledValue, precision)
      case (Literal.Date(days), _) => out.addInteger(days)
      case (Literal.Time(ticks), LakeType.Time) => out.addLong(ticks)
      case (Literal.TimeTz(micros, 0), LakeType.TimeTz) => out.addLong(micros)
      case (Literal.Timestamp(ticks), LakeType.TimestampS) => out.addLong(micros(ticks, subject))
      case (Literal.Timestamp(ticks), _) => out.addLong(ticks)
      case (interval: Literal.Interval, LakeType.Interval) => text(out, interval, lakeType, subject)
      case (Literal.Text(content), _) => out.addBinary(Binary.fromString(content))
      case (Literal.Bytes(content), _) =>
        out.addBinary(Binary.fromConstantByteArray(content.toArray))
      case (Literal.Uuid(id), _) =>
        val bytes = ByteBuffer.allocate(16)
        bytes.putLong(id.getMostSignificantBits).putLong(id.getLeastSignificantBits)
        out.addBinary(Binary.fromConstantByteArray(bytes.array()))
      case _ => subject.refuse(value.toString, "values of the type cannot be written to a file")
    }

  private val decimalLimit = BigInt(10).pow(DecimalType.MAX_PRECISION)
  private val microsPerSecond = 1000000L
  private val infinity = Long.MaxValue

  /** Writes the digits of a decimal in the physical type that the schema has for its precision. */
  private def unscaled(out: RecordConsumer, digits: BigInteger, precision: Int): Unit =
    if (precision <= Decimal.MAX_INT_DIGITS) out.addInteger(digits.intValueExact)
    else if (precision <= Decimal.MAX_LONG_DIGITS) out.addLong(digits.longValueExact)
    else {
      val bytes = digits.toByteArray
      val sign: Byte = if (digits.signum < 0) -1 else 0
      val missing = Decimal.minBytesForPrecision(precision) - bytes.length
      out.addBinary(Binary.fromConstantByteArray(Array.fill(missing)(sign) ++ bytes))
    }

  private def micros(seconds: Long, subject: ValueSubject): Long =
    if (seconds == infinity || seconds == -infinity) seconds
    else
      try Math.multiplyExact(seconds, microsPerSecond)
      catch {
        case _: ArithmeticException =>
          subject.refuse(s"$seconds seconds", "it lies outside Parquet's timestamps")
      }

  /** Writes an interval as text, which keeps the microseconds; Parquet's own intervals have none.
    * Negative intervals are refused, because DuckDB would fail when it rewrites the file.
    */
  private def text(
      out: RecordConsumer,
      interval: Literal.Interval,
      lakeType: LakeType.Primitive,
      subject: ValueSubject,
  ): Unit = {
    val printed = ValueText.print(interval, lakeType).getOrElse(interval.toString)
    if (interval.months < 0 || interval.days < 0 || interval.micros < 0)
      subject.refuse(s"`$printed`", "Parquet files hold no negative intervals")
    out.addBinary(Binary.fromString(printed))
  }
}
