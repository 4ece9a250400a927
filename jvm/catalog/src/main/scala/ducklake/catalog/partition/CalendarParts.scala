package ducklake.catalog.partition

import ducklake.catalog.types.LakeType
import ducklake.catalog.types.Literal
import ducklake.catalog.types.text.ValueText

import java.time.LocalDate
import java.time.temporal.ChronoField

/** Calendar parts of dates, times and timestamps. The parts of a `timestamptz` are in UTC. */
object CalendarParts {
  private val secondsPerDay = 86400L
  private val secondsPerHour = 3600L

  /** The result of a calendar transform. None for NULL, for infinite values, and where the type has
    * no such part.
    */
  def of(
      transform: Transform.Calendar,
      literal: Literal,
      lakeType: LakeType.Primitive,
  ): Option[Int] =
    transform match {
      case Transform.Year => date(literal, lakeType).map(year(_, lakeType))
      case Transform.Month => date(literal, lakeType).map(_.getMonthValue)
      case Transform.Day => date(literal, lakeType).map(_.getDayOfMonth)
      case Transform.Hour => hour(literal, lakeType)
    }

  /** DuckDB counts the years of `timestamptz` from 1 in each era. For other types the year before 1
    * is 0.
    */
  private def year(date: LocalDate, lakeType: LakeType): Int =
    lakeType match {
      case LakeType.TimestampTz | LakeType.TimestampTzNs => date.get(ChronoField.YEAR_OF_ERA)
      case _ => date.getYear
    }

  private def date(literal: Literal, lakeType: LakeType): Option[LocalDate] =
    literal match {
      case Literal.Date(days) if !isInfinite(literal) => Some(LocalDate.ofEpochDay(days.toLong))
      case Literal.Timestamp(ticks) if !isInfinite(literal) =>
        val perDay = ValueText.ticksPerSecond(lakeType) * secondsPerDay
        Some(LocalDate.ofEpochDay(Math.floorDiv(ticks, perDay)))
      case _ => None
    }

  private def hour(literal: Literal, lakeType: LakeType): Option[Int] = {
    val perHour = ValueText.ticksPerSecond(lakeType) * secondsPerHour
    literal match {
      case Literal.Date(_) if !isInfinite(literal) => Some(0)
      case Literal.Timestamp(ticks) if !isInfinite(literal) =>
        Some((Math.floorMod(ticks, perHour * 24) / perHour).toInt)
      case Literal.Time(ticks) => Some((ticks / perHour).toInt)
      case Literal.TimeTz(micros, _) => Some((micros / perHour).toInt)
      case _ => None
    }
  }

  private[partition] def isInfinite(literal: Literal): Boolean =
    literal match {
      case Literal.Date(days) => days == Int.MaxValue || days == -Int.MaxValue
      case Literal.Timestamp(ticks) => ticks == Long.MaxValue || ticks == -Long.MaxValue
      case _ => false
    }
}
