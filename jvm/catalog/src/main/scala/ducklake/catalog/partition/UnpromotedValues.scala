package ducklake.catalog.partition

import ducklake.catalog.types.LakeType
import ducklake.catalog.types.Literal
import ducklake.catalog.types.text.ValueText

/** The forms that a value may have had before its column was promoted, as far as their hashes
  * differ.
  *
  * Source: DuckDB 1.5.5, observed (format 8.1, 8.3 and 11.2).
  */
private[partition] object UnpromotedValues {
  private val daySeconds = 86400L

  /** The value in each type in which it may have been written. None when there are too many types.
    */
  def of(
      literal: Literal,
      lakeType: LakeType.Primitive,
  ): Option[Vector[(Literal, LakeType.Primitive)]] = {
    val own = literal -> lakeType
    (literal, lakeType) match {
      case (Literal.Null, _) => None
      case (_, LakeType.Bool | LakeType.Varchar | LakeType.Json | LakeType.Blob) =>
        Some(Vector(own))
      case (_, LakeType.Uuid | LakeType.Date | LakeType.Time) => Some(Vector(own))
      case (Literal.Integral(value), _) => Some(own +: integers(value))
      case (Literal.BigIntegral(value), LakeType.UInt64) if value.isValidLong =>
        Some(own +: integers(value.toLong))
      case (Literal.BigIntegral(_), LakeType.UInt64) => Some(Vector(own))
      case (Literal.Time(ticks), LakeType.TimeNs) =>
        Some(
          own +: exact(ticks, 1000L).map(micros => Literal.Time(micros) -> LakeType.Time).toVector
        )
      case (Literal.Timestamp(ticks), _) => Some(own +: instants(ticks, lakeType))
      case _ => None
    }
  }

  /** Signed types hash the number, unsigned types hash its text. */
  private def integers(value: Long): Vector[(Literal, LakeType.Primitive)] =
    Vector(Literal.Integral(value) -> LakeType.Int64, Literal.Integral(value) -> LakeType.UInt32)

  private def instants(
      ticks: Long,
      lakeType: LakeType.Primitive,
  ): Vector[(Literal, LakeType.Primitive)] = {
    val perSecond = ValueText.ticksPerSecond(lakeType)
    val coarser = Vector(LakeType.TimestampS, LakeType.TimestampMs, LakeType.Timestamp)
      .map(unit => unit -> ValueText.ticksPerSecond(unit))
      .filter { case (_, ticksPerSecond) => ticksPerSecond < perSecond }
      .flatMap { case (unit, ticksPerSecond) =>
        exact(ticks, perSecond / ticksPerSecond).map(Literal.Timestamp(_) -> unit)
      }
    coarser ++ day(ticks, perSecond).map(Literal.Date(_) -> LakeType.Date)
  }

  private def day(ticks: Long, perSecond: Long): Option[Int] =
    if (isInfinite(ticks)) Some(if (ticks > 0) Int.MaxValue else -Int.MaxValue)
    else exact(ticks, perSecond * daySeconds).filter(_.isValidInt).map(_.toInt)

  private def exact(ticks: Long, divisor: Long): Option[Long] =
    if (isInfinite(ticks)) Some(ticks) else Option.when(ticks % divisor == 0)(ticks / divisor)

  private def isInfinite(ticks: Long): Boolean = ticks == Long.MaxValue || ticks == -Long.MaxValue
}
