package ducklake.catalog.registration

import ducklake.catalog.model.ColumnStatistics
import ducklake.catalog.types.LakeType
import ducklake.catalog.types.Literal
import ducklake.catalog.types.cast.TemporalRounding
import ducklake.catalog.types.text.ValueText

/** Statistics of a file's leaf as statistics of the table's column, for the pairs of types that
  * [[RegistrableTypes]] accepts. Bounds are the extremes of the values as they are read: bounds
  * lose digits exactly as values do. Bounds that the column's type cannot hold are unknown.
  */
object ConvertedStatistics {

  def of(
      known: ColumnStatistics,
      file: LakeType.Primitive,
      column: LakeType.Primitive,
  ): ColumnStatistics =
    if (file == column) known
    else
      known.copy(
        min = known.min.flatMap(bound(_, file, column)),
        max = known.max.flatMap(bound(_, file, column)),
      )

  private def bound(
      value: Literal,
      file: LakeType.Primitive,
      column: LakeType.Primitive,
  ): Option[Literal] =
    (value, column) match {
      case (Literal.Integral(whole), _) => ValueText.integer(BigInt(whole), column)
      case (floating: Literal.Floating, LakeType.Float64) => Some(floating)
      case (Literal.Dec(decimal), LakeType.Decimal(_, scale)) =>
        Some(Literal.Dec(decimal.setScale(scale)))
      // DuckDB 1.5.5 and 2.0 need not round such an instant in the same way.
      case (Literal.Timestamp(_), LakeType.TimestampTz) => None
      case (Literal.Timestamp(ticks), _) =>
        timestamp(ticks, ValueText.ticksPerSecond(file), ValueText.ticksPerSecond(column))
      case _ => None
    }

  /** @param from ticks of the value in a second
    * @param to ticks of the result in a second
    */
  private def timestamp(ticks: Long, from: Long, to: Long): Option[Literal] =
    if (ticks == Long.MaxValue || ticks == -Long.MaxValue) Some(Literal.Timestamp(ticks))
    else if (to >= from) exactly(BigInt(ticks) * (to / from))
    else {
      val read =
        if (from > Micros) TemporalRounding.ofMicros(TemporalRounding.ofNanos(ticks), Micros / to)
        else TemporalRounding.ofMicros(ticks, from / to)
      Some(Literal.Timestamp(read))
    }

  /** Microseconds in a second. */
  private val Micros = 1000000L

  private def exactly(ticks: BigInt): Option[Literal] =
    Option.when(ticks.isValidLong)(Literal.Timestamp(ticks.toLong))
}
