package ducklake.catalog.types.text

import ducklake.catalog.types.LakeType
import ducklake.catalog.types.Literal
import ducklake.catalog.types.Micros

import java.util.Locale
import java.util.UUID

/** Prints and parses values in DuckDB's spellings. [[NestedText]] parses values of nested types.
  *
  * Source: DuckDB 1.5.5, observed (format 3.2).
  */
object ValueText {

  /** Parses a bound of the statistics. None when the text is no value of the type, or when it is
    * finer than the type, because rounding of rows may differ; then the bound is unknown.
    */
  def parseStatistic(text: String, lakeType: LakeType.Primitive): Option[Literal] =
    lakeType match {
      case LakeType.Blob => BlobText.parseHex(text).map(Literal.Bytes(_))
      case LakeType.Decimal(precision, scale) =>
        NumberText.exactDecimal(text, precision, scale).map(Literal.Dec(_))
      case whole if isInteger(whole) =>
        NumberText.exactInteger(text).flatMap(integer(_, whole))
      case LakeType.Time | LakeType.TimeNs | LakeType.TimeTz | LakeType.Timestamp |
          LakeType.TimestampS | LakeType.TimestampMs | LakeType.TimestampNs | LakeType.TimestampTz |
          LakeType.TimestampTzNs =>
        Some(text)
          .filter(TemporalText.isWithin(_, ticksPerSecond(lakeType)))
          .flatMap(parseCast(_, lakeType))
      case _ => parseCast(text, lakeType)
    }

  /** The result of DuckDB's cast of the text to the type, for partition values, defaults, nested
    * and inlined values. None when the cast fails.
    */
  def parseCast(text: String, lakeType: LakeType.Primitive): Option[Literal] =
    lakeType match {
      case LakeType.Bool => bool(text)
      case LakeType.Int8 | LakeType.Int16 | LakeType.Int32 | LakeType.Int64 | LakeType.Int128 |
          LakeType.UInt8 | LakeType.UInt16 | LakeType.UInt32 | LakeType.UInt64 | LakeType.UInt128 =>
        NumberText.castInteger(text).flatMap(integer(_, lakeType))
      case LakeType.Float32 => NumberText.float32(text).map(Literal.Floating(_))
      case LakeType.Float64 => NumberText.float64(text).map(Literal.Floating(_))
      case LakeType.Decimal(precision, scale) =>
        NumberText.castDecimal(text, precision, scale).map(Literal.Dec(_))
      case LakeType.Varchar | LakeType.Json => Some(Literal.Text(text))
      case LakeType.Blob => BlobText.parseEscaped(text).map(Literal.Bytes(_))
      case LakeType.Uuid => uuid(text).map(Literal.Uuid(_))
      case LakeType.Interval => IntervalText.parse(text)
      case LakeType.Date | LakeType.Time | LakeType.TimeNs | LakeType.TimeTz | LakeType.Timestamp |
          LakeType.TimestampS | LakeType.TimestampMs | LakeType.TimestampNs | LakeType.TimestampTz |
          LakeType.TimestampTzNs =>
        temporal(text, lakeType)
      case LakeType.Variant | LakeType.Geometry(_) | LakeType.NullType | LakeType.Unknown(_) => None
    }

  /** The result of DuckDB's cast of the value to VARCHAR. None when the literal is NULL, is not of
    * the type, or has no such text (variant, geometry).
    */
  def print(literal: Literal, lakeType: LakeType.Primitive): Option[String] =
    literal match {
      case Literal.Bool(value) => Some(value.toString)
      case Literal.Integral(value) => Some(value.toString)
      case Literal.BigIntegral(value) => Some(value.toString)
      case Literal.Floating(value) =>
        val isSingle = lakeType == LakeType.Float32
        Some(if (isSingle) NumberText.printFloat32(value) else NumberText.printFloat64(value))
      case Literal.Dec(value) =>
        PartialFunction.condOpt(lakeType) { case LakeType.Decimal(precision, scale) =>
          NumberText.printDecimal(value, precision, scale)
        }
      case Literal.Text(value) => Some(value)
      case Literal.Bytes(value) =>
        Option.when(lakeType == LakeType.Blob)(BlobText.printEscaped(value))
      case Literal.Uuid(value) => Some(value.toString)
      case Literal.Date(days) => Some(TemporalText.printDate(days))
      case Literal.Time(ticks) => Some(TemporalText.printTime(ticks, ticksPerSecond(lakeType)))
      case Literal.TimeTz(micros, offset) =>
        val clock = TemporalText.printTime(micros, Micros.PerSecond)
        Some(clock + TemporalText.printOffset(offset))
      case Literal.Timestamp(ticks) if hasZone(lakeType) =>
        Some(TemporalText.printInstant(ticks, ticksPerSecond(lakeType)))
      case Literal.Timestamp(ticks) =>
        Some(TemporalText.printLocal(ticks, ticksPerSecond(lakeType)))
      case interval: Literal.Interval => Some(IntervalText.print(interval))
      case Literal.Null | Literal.Variant(_, _) | Literal.ListValue(_) | Literal.StructValue(_) |
          Literal.MapValue(_) =>
        None
    }

  /** Whether the type's values are instants, which are printed in UTC. */
  def hasZone(lakeType: LakeType): Boolean =
    lakeType == LakeType.TimestampTz || lakeType == LakeType.TimestampTzNs

  /** Ticks per second of a time or timestamp type; 1 for types without ticks. */
  def ticksPerSecond(lakeType: LakeType): Long =
    lakeType match {
      case LakeType.Time | LakeType.TimeTz | LakeType.Timestamp | LakeType.TimestampTz =>
        Micros.PerSecond
      case LakeType.TimeNs | LakeType.TimestampNs | LakeType.TimestampTzNs =>
        TemporalText.NanosPerSecond
      case LakeType.TimestampMs => 1000L
      case _ => 1L
    }

  /** The literal of a whole number. None outside the type's range, and for types that are no
    * integers.
    */
  def integer(value: BigInt, lakeType: LakeType.Primitive): Option[Literal] =
    integerRanges.get(lakeType).filter(_.contains(value)).map { range =>
      if (range.isWide) Literal.BigIntegral(value) else Literal.Integral(value.toLong)
    }

  private final case class IntegerRange(min: BigInt, max: BigInt, isWide: Boolean) {
    def contains(value: BigInt): Boolean = value >= min && value <= max
  }

  private def signed(bits: Int): IntegerRange =
    IntegerRange(-(BigInt(1) << bits - 1), (BigInt(1) << bits - 1) - 1, isWide = bits > 64)

  private def unsigned(bits: Int): IntegerRange =
    IntegerRange(BigInt(0), (BigInt(1) << bits) - 1, isWide = bits >= 64)

  private val integerRanges: Map[LakeType, IntegerRange] = Map(
    LakeType.Int8 -> signed(8),
    LakeType.Int16 -> signed(16),
    LakeType.Int32 -> signed(32),
    LakeType.Int64 -> signed(64),
    LakeType.Int128 -> signed(128),
    LakeType.UInt8 -> unsigned(8),
    LakeType.UInt16 -> unsigned(16),
    LakeType.UInt32 -> unsigned(32),
    LakeType.UInt64 -> unsigned(64),
    LakeType.UInt128 -> unsigned(128),
  )

  private[text] def isInteger(lakeType: LakeType.Primitive): Boolean =
    integerRanges.contains(lakeType)

  private def bool(text: String): Option[Literal] =
    text.trim.toLowerCase(Locale.ROOT) match {
      case "true" | "t" | "1" | "yes" | "y" => Some(Literal.Bool(value = true))
      case "false" | "f" | "0" | "no" | "n" => Some(Literal.Bool(value = false))
      case _ => None
    }

  private def temporal(text: String, lakeType: LakeType.Primitive): Option[Literal] =
    lakeType match {
      case LakeType.Date => TemporalText.parseDate(text).map(Literal.Date(_))
      case LakeType.Time | LakeType.TimeNs =>
        TemporalText.parseTime(text, ticksPerSecond(lakeType)).map { case (ticks, _) =>
          Literal.Time(ticks)
        }
      case LakeType.TimeTz =>
        TemporalText.parseTime(text, ticksPerSecond(lakeType)).map(Literal.TimeTz.tupled)
      case LakeType.TimestampTz | LakeType.TimestampTzNs =>
        TemporalText.parseInstant(text, ticksPerSecond(lakeType)).map(Literal.Timestamp(_))
      case LakeType.TimestampS | LakeType.TimestampMs =>
        val microsPerTick = Micros.PerSecond / ticksPerSecond(lakeType)
        TemporalText
          .parseLocal(text, Micros.PerSecond)
          .map(micros => Literal.Timestamp(TemporalText.rounded(micros, microsPerTick)))
      case _ => TemporalText.parseLocal(text, ticksPerSecond(lakeType)).map(Literal.Timestamp(_))
    }

  private val uuidPattern = """\{?([0-9a-f]{32})\}?""".r

  private def uuid(text: String): Option[UUID] =
    text.trim.toLowerCase(Locale.ROOT).replace("-", "") match {
      case uuidPattern(digits) =>
        val (high, low) = digits.splitAt(16)
        Some(
          new UUID(
            java.lang.Long.parseUnsignedLong(high, 16),
            java.lang.Long.parseUnsignedLong(low, 16),
          )
        )
      case _ => None
    }
}
