package ducklake.catalog.cache

import ducklake.catalog.types.LakeType
import ducklake.catalog.types.Literal

/** Encodes the values of a type as longs without loss, for types whose values fit into a long.
  *
  * @param isOrdered whether the longs have the order of the values
  */
private[cache] final class LongEncoding(
    val isOrdered: Boolean,
    val write: PartialFunction[Literal, Long],
    val read: Long => Literal,
)

private[cache] object LongEncoding {

  /** None for types whose values are stored as text. */
  def of(lakeType: LakeType): Option[LongEncoding] = lakeType match {
    case LakeType.Int8 | LakeType.Int16 | LakeType.Int32 | LakeType.Int64 | LakeType.UInt8 |
        LakeType.UInt16 | LakeType.UInt32 =>
      ordered({ case Literal.Integral(value) => value }, Literal.Integral(_))
    case LakeType.Date =>
      ordered({ case Literal.Date(days) => days.toLong }, d => Literal.Date(d.toInt))
    case LakeType.Time | LakeType.TimeNs =>
      ordered({ case Literal.Time(ticks) => ticks }, Literal.Time(_))
    case LakeType.Timestamp | LakeType.TimestampS | LakeType.TimestampMs | LakeType.TimestampNs |
        LakeType.TimestampTz | LakeType.TimestampTzNs =>
      ordered({ case Literal.Timestamp(ticks) => ticks }, Literal.Timestamp(_))
    case LakeType.Decimal(precision, scale) if precision <= 18 =>
      ordered(
        { case Literal.Dec(value) if fitsLong(value) => value.unscaledValue.longValue },
        unscaled => Literal.Dec(java.math.BigDecimal.valueOf(unscaled, scale)),
      )
    case LakeType.Bool =>
      ordered({ case Literal.Bool(value) => if (value) 1L else 0L }, v => Literal.Bool(v == 1L))
    case LakeType.Float32 | LakeType.Float64 =>
      Some(
        new LongEncoding(
          isOrdered = false,
          { case Literal.Floating(value) => java.lang.Double.doubleToRawLongBits(value) },
          bits => Literal.Floating(java.lang.Double.longBitsToDouble(bits)),
        )
      )
    case _ => None
  }

  /** False for some literals that a column can be compared with. */
  private def fitsLong(value: java.math.BigDecimal): Boolean = value.unscaledValue.bitLength < 64

  private def ordered(
      write: PartialFunction[Literal, Long],
      read: Long => Literal,
  ): Option[LongEncoding] = Some(new LongEncoding(isOrdered = true, write, read))
}
