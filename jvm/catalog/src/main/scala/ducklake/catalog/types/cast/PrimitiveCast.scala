package ducklake.catalog.types.cast

import ducklake.catalog.types.LakeType
import ducklake.catalog.types.Literal
import ducklake.catalog.types.binary.VariantEncoding
import ducklake.catalog.types.text.TemporalText
import ducklake.catalog.types.text.ValueText

import java.math.BigDecimal
import java.math.RoundingMode

/** Promotes values between types without children.
  *
  * Source: DuckDB 1.5.5, observed (format 11.2).
  */
private[cast] object PrimitiveCast {
  private val daySeconds = 86400L

  /** The value in the later type.
    *
    * Errors: why the value cannot be promoted.
    */
  def apply(
      literal: Literal,
      from: LakeType.Primitive,
      to: LakeType.Primitive,
  ): Either[String, Literal] =
    if (from == to) Right(literal)
    else
      to match {
        case LakeType.Int8 | LakeType.Int16 | LakeType.Int32 | LakeType.Int64 | LakeType.Int128 |
            LakeType.UInt8 | LakeType.UInt16 | LakeType.UInt32 | LakeType.UInt64 |
            LakeType.UInt128 =>
          whole(literal).toRight(noPromotion).flatMap { value =>
            ValueText.integer(value, to).toRight("the value is out of range")
          }
        case LakeType.Float32 | LakeType.Float64 => floating(literal, from, to)
        case LakeType.Decimal(precision, scale) => decimal(literal, precision, scale)
        case LakeType.Timestamp | LakeType.TimestampS | LakeType.TimestampMs |
            LakeType.TimestampNs | LakeType.TimestampTz | LakeType.TimestampTzNs =>
          timestamp(literal, from, to)
        case LakeType.TimeNs =>
          literal match {
            case Literal.Time(micros) => Right(Literal.Time(micros * 1000))
            case _ => Left(noPromotion)
          }
        case LakeType.Varchar | LakeType.Json =>
          literal match {
            case Literal.Text(_) => Right(literal)
            case _ => Left(noPromotion)
          }
        case LakeType.Geometry(_) =>
          literal match {
            case Literal.Bytes(_) => Right(literal)
            case _ => Left(noPromotion)
          }
        case LakeType.Variant => VariantEncoding.encode(literal, from).toRight(noPromotion)
        case LakeType.Bool | LakeType.Date | LakeType.Time | LakeType.TimeTz | LakeType.Interval |
            LakeType.Blob | LakeType.Uuid | LakeType.NullType | LakeType.Unknown(_) =>
          Left(noPromotion)
      }

  private val noPromotion = "no promotion leads to this type"

  private def whole(literal: Literal): Option[BigInt] =
    literal match {
      case Literal.Bool(value) => Some(if (value) BigInt(1) else BigInt(0))
      case Literal.Integral(value) => Some(BigInt(value))
      case Literal.BigIntegral(value) => Some(value)
      case _ => None
    }

  private def number(literal: Literal): Option[BigDecimal] =
    literal match {
      case Literal.Dec(value) => Some(value)
      case other => whole(other).map(value => new BigDecimal(value.bigInteger))
    }

  private def floating(
      literal: Literal,
      from: LakeType.Primitive,
      to: LakeType,
  ): Either[String, Literal] = {
    val isSingle = to == LakeType.Float32
    (literal, from) match {
      case (Literal.Floating(value), _) if isSingle =>
        val single = value.toFloat
        Either.cond(
          single.isInfinite == value.isInfinite,
          Literal.Floating(single.toDouble),
          "the value is out of range",
        )
      case (Literal.Floating(value), _) => Right(Literal.Floating(value))
      case (Literal.Dec(value), LakeType.Decimal(precision, scale)) =>
        val cast = new DecimalCast(precision, scale)
        val digits = value.unscaledValue
        Right(
          Literal.Floating(if (isSingle) cast.toFloat(digits).toDouble else cast.toDouble(digits))
        )
      case (other, _) =>
        number(other).toRight(noPromotion).map { value =>
          Literal.Floating(if (isSingle) value.floatValue.toDouble else value.doubleValue)
        }
    }
  }

  private def decimal(literal: Literal, precision: Int, scale: Int): Either[String, Literal] =
    number(literal).toRight(noPromotion).flatMap { value =>
      val scaled = value.setScale(scale, RoundingMode.HALF_UP)
      Either.cond(scaled.precision <= precision, Literal.Dec(scaled), "the value is out of range")
    }

  private def timestamp(
      literal: Literal,
      from: LakeType.Primitive,
      to: LakeType.Primitive,
  ): Either[String, Literal] = {
    val perSecond = ValueText.ticksPerSecond(to)
    literal match {
      case Literal.Date(TemporalText.InfiniteDays) =>
        Right(Literal.Timestamp(TemporalText.InfiniteTicks))
      case Literal.Date(days) if days == -TemporalText.InfiniteDays =>
        Right(Literal.Timestamp(-TemporalText.InfiniteTicks))
      case Literal.Date(days) => ticks(BigInt(days) * daySeconds * perSecond)
      case Literal.Timestamp(value) if Math.abs(value) == TemporalText.InfiniteTicks =>
        Right(literal)
      case Literal.Timestamp(value) if !ValueText.hasZone(from) || ValueText.hasZone(to) =>
        val earlier = ValueText.ticksPerSecond(from)
        if (earlier > perSecond) Right(Literal.Timestamp(Math.floorDiv(value, earlier / perSecond)))
        else ticks(BigInt(value) * (perSecond / earlier))
      case _ => Left(noPromotion)
    }
  }

  private def ticks(value: BigInt): Either[String, Literal] =
    Either.cond(
      value.isValidLong,
      Literal.Timestamp(value.toLong),
      "the moment is out of the type's range",
    )
}
