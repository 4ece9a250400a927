package ducklake.catalog.types.inlined

import ducklake.catalog.types.LakeType
import ducklake.catalog.types.Literal
import ducklake.catalog.types.text.TemporalText
import ducklake.catalog.types.text.ValueText

/** Decides which values DuckDB accepts when it reads them as text, as it reads inlined values. This
  * range is narrower than the range of a [[Literal]].
  *
  * Source: DuckDB 1.5.5 with SQLite and PostgreSQL 15, observed.
  */
private[types] object InlineRange {

  /** Whether the value has the type and is within DuckDB's range. Callers handle NULL before. */
  def holds(value: Literal, lakeType: LakeType.Primitive): Boolean =
    lakeType match {
      case LakeType.Bool => PartialFunction.cond(value) { case Literal.Bool(_) => true }
      case LakeType.Int8 | LakeType.Int16 | LakeType.Int32 | LakeType.Int64 | LakeType.Int128 |
          LakeType.UInt8 | LakeType.UInt16 | LakeType.UInt32 | LakeType.UInt64 | LakeType.UInt128 =>
        PartialFunction.cond(value) {
          case Literal.Integral(number) => isInteger(BigInt(number), value, lakeType)
          case Literal.BigIntegral(number) => isInteger(number, value, lakeType)
        }
      case LakeType.Float32 | LakeType.Float64 =>
        PartialFunction.cond(value) { case Literal.Floating(_) => true }
      case LakeType.Decimal(precision, scale) =>
        PartialFunction.cond(value) { case Literal.Dec(number) =>
          number.scale == scale && number.precision <= precision
        }
      case LakeType.Varchar | LakeType.Json =>
        PartialFunction.cond(value) { case Literal.Text(text) => isText(text) }
      case LakeType.Blob =>
        PartialFunction.cond(value) { case Literal.Bytes(bytes) => bytes.size <= longest }
      case LakeType.Uuid => PartialFunction.cond(value) { case Literal.Uuid(_) => true }
      case LakeType.Interval =>
        PartialFunction.cond(value) { case Literal.Interval(months, days, micros) =>
          months > Int.MinValue && days > Int.MinValue &&
          micros >= -mostMicros && micros <= mostMicros
        }
      case LakeType.Date | LakeType.Time | LakeType.TimeNs | LakeType.TimeTz | LakeType.Timestamp |
          LakeType.TimestampS | LakeType.TimestampMs | LakeType.TimestampNs | LakeType.TimestampTz |
          LakeType.TimestampTzNs =>
        isTemporal(value, lakeType)
      case LakeType.Variant | LakeType.Geometry(_) | LakeType.NullType | LakeType.Unknown(_) =>
        false
    }

  /** Limit of a text's length. Databases refuse texts of about a gigabyte, so long texts are
    * written to files.
    */
  private val longest = 1 << 24

  /** About 285 years, well within the hours that DuckDB and PostgreSQL can parse. */
  private val mostMicros = 1L << 53

  private val mostOffset = 16 * 3600 - 1

  /** 1677-09-22, the first day that DuckDB casts to TIMESTAMP_NS. */
  private val firstNanos = -9223286400000000000L

  /** 290309-12-22 (BC), the first day of DuckDB's TIMESTAMP. */
  private val firstMicros = -9223372022400000000L

  /** DuckDB's cast of text to TIMESTAMPTZ is wrong in the last millisecond of its range. This limit
    * excludes the last second.
    */
  private val lastInstant = Long.MaxValue - 1000000L

  private def isInteger(number: BigInt, value: Literal, lakeType: LakeType.Primitive): Boolean =
    ValueText.integer(number, lakeType).contains(value)

  /** Whether the text can be encoded in UTF-8 and is not too long. A single surrogate cannot be
    * encoded.
    */
  private def isText(text: String): Boolean =
    text.length <= longest && text.codePoints.noneMatch { point =>
      point >= Character.MIN_SURROGATE && point <= Character.MAX_SURROGATE
    }

  private def isTemporal(value: Literal, lakeType: LakeType): Boolean = {
    val day = 86400L * ValueText.ticksPerSecond(lakeType)
    PartialFunction.cond(value) {
      case Literal.Date(days) => lakeType == LakeType.Date && days > Int.MinValue
      case Literal.Time(ticks) =>
        (lakeType == LakeType.Time || lakeType == LakeType.TimeNs) && ticks >= 0 && ticks <= day
      case Literal.TimeTz(micros, offset) =>
        lakeType == LakeType.TimeTz && micros >= 0 && micros <= day &&
        offset >= -mostOffset && offset <= mostOffset
      case Literal.Timestamp(ticks) => isTimestamp(ticks, lakeType)
    }
  }

  private def isTimestamp(ticks: Long, lakeType: LakeType): Boolean = {
    val isInfinite = ticks.abs == TemporalText.InfiniteTicks
    def isWithin(perMicro: Long) =
      ticks >= firstMicros / perMicro && ticks <= TemporalText.InfiniteTicks / perMicro
    lakeType match {
      case LakeType.Timestamp => isInfinite || isWithin(1)
      case LakeType.TimestampTz => isInfinite || (isWithin(1) && ticks <= lastInstant)
      case LakeType.TimestampS => isInfinite || isWithin(1000000)
      case LakeType.TimestampMs => isInfinite || isWithin(1000)
      case LakeType.TimestampNs | LakeType.TimestampTzNs => isInfinite || ticks >= firstNanos
      case _ => false
    }
  }
}
