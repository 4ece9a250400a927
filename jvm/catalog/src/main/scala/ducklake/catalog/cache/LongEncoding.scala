package ducklake.catalog.cache

import ducklake.catalog.types.LakeType
import ducklake.catalog.types.Literal

/** Values of a type as longs, without loss; for types whose values fit.
  *
  * @param isOrdered whether the longs are ordered as the values are
  */
private[cache] final class LongEncoding(
    val isOrdered: Boolean,
    val write: PartialFunction[Literal, Long],
    val read: Long => Literal,
)

private[cache] object LongEncoding {

  /** None for types whose values are kept as text. */
  def of(lakeType: LakeType): Option[LongEncoding] = lakeType match {
    case LakeType.Int8 | LakeType.Int16 | LakeType.Int32 | LakeType.Int64 | LakeType.UInt8 |
        LakeType.UInt16 | LakeType.UInt32 =>
      ordered({ case Literal.Integral(value) => value }, Literal.Integral(_))
    case LakeType.Date =>
      ordered({ case Literal.Date(days) => days.toLong }, d => Literal.Date(d.toInt))
    case LakeType.Time | LakeType.TimeNs =>
      ordered({ case Literal.Time(ticks) => ticks }, Literal.Time(_))
    case LakeType.Timestamp | LakeType.TimestampS | LakeType.TimestampMs | LakeType.TimestampNs |
        LakeType.TimestampTz =>
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

  /** Not every literal that the column is compared with. */
  private def fitsLong(value: java.math.BigDecimal): Boolean = value.unscaledValue.bitLength < 64

  private def ordered(
      write: PartialFunction[Literal, Long],
      read: Long => Literal,
  ): Option[LongEncoding] = Some(new LongEncoding(isOrdered = true, write, read))
}
