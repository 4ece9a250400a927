package ducklake.catalog.registration

import ducklake.catalog.model.ColumnStatistics
import ducklake.catalog.types.LakeType
import ducklake.catalog.types.Literal
import ducklake.catalog.types.ValueText

/** Statistics of a file's leaf as statistics of the table's column, for the pairs of types that
  * [[RegistrableTypes]] accepts. Bounds that lose digits move outwards, so that they still include
  * all values. Bounds that the column's type cannot hold are unknown.
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
        min = known.min.flatMap(bound(_, file, column, Rounding.Down)),
        max = known.max.flatMap(bound(_, file, column, Rounding.Up)),
      )

  private sealed trait Rounding

  private object Rounding {
    case object Down extends Rounding
    case object Up extends Rounding
  }

  private def bound(
      value: Literal,
      file: LakeType.Primitive,
      column: LakeType.Primitive,
      rounding: Rounding,
  ): Option[Literal] =
    (value, column) match {
      case (Literal.Integral(whole), _) => ValueText.integer(BigInt(whole), column)
      case (floating: Literal.Floating, LakeType.Float64) => Some(floating)
      case (Literal.Dec(decimal), LakeType.Decimal(_, scale)) =>
        Some(Literal.Dec(decimal.setScale(scale)))
      // DuckDB 1.5.5 and 2.0 need not round such an instant in the same way.
      case (Literal.Timestamp(_), LakeType.TimestampTz) => None
      case (Literal.Timestamp(ticks), _) =>
        timestamp(ticks, ValueText.ticksPerSecond(file), column, rounding)
      case _ => None
    }

  private def timestamp(
      ticks: Long,
      from: Long,
      column: LakeType.Primitive,
      rounding: Rounding,
  ): Option[Literal] = {
    val to = ValueText.ticksPerSecond(column)
    if (ticks == Long.MaxValue || ticks == -Long.MaxValue) Some(Literal.Timestamp(ticks))
    else if (to >= from) exactly(BigInt(ticks) * (to / from))
    else
      rounding match {
        case Rounding.Down => Some(Literal.Timestamp(Math.floorDiv(ticks, from / to)))
        case Rounding.Up => Some(Literal.Timestamp(-Math.floorDiv(-ticks, from / to)))
      }
  }

  private def exactly(ticks: BigInt): Option[Literal] =
    Option.when(ticks.isValidLong)(Literal.Timestamp(ticks.toLong))
}
