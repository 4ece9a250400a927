package ducklake.catalog.partition

import ducklake.catalog.types.LakeType
import ducklake.catalog.types.Literal
import ducklake.catalog.types.text.ValueText

import java.time.LocalDate
import java.time.LocalDateTime

/** The range of values in one year, month, day or hour. */
object CalendarRange {
  private val maxYear = 999999

  /** The first and the last value with these parts, when the parts describe one period of time: a
    * year, a month of a year, and so on. None when there is no year, when a part is out of range,
    * and for types without a date.
    */
  def of(parts: Map[Transform.Calendar, Int], lakeType: LakeType): Option[(Literal, Literal)] =
    for {
      (start, end) <- stretch(parts)
      first <- literal(start, lakeType)
      next <- literal(end, lakeType)
    } yield (first, before(next))

  private def stretch(
      parts: Map[Transform.Calendar, Int]
  ): Option[(LocalDateTime, LocalDateTime)] = {
    def part(transform: Transform.Calendar, min: Int, max: Int): Option[Int] =
      parts.get(transform).filter(value => value >= min && value <= max)
    val year = part(Transform.Year, -maxYear, maxYear).map(LocalDate.of(_, 1, 1).atStartOfDay)
    val month = year.flatMap(start => part(Transform.Month, 1, 12).map(start.withMonth))
    val day = month.flatMap(start =>
      part(Transform.Day, 1, start.toLocalDate.lengthOfMonth).map(start.withDayOfMonth)
    )
    val hour = day.flatMap(start => part(Transform.Hour, 0, 23).map(start.withHour))
    hour
      .map(start => (start, start.plusHours(1)))
      .orElse(day.map(start => (start, start.plusDays(1))))
      .orElse(month.map(start => (start, start.plusMonths(1))))
      .orElse(year.map(start => (start, start.plusYears(1))))
  }

  private def literal(moment: LocalDateTime, lakeType: LakeType): Option[Literal] =
    lakeType match {
      case LakeType.Date =>
        val midnight = moment.toLocalTime.toSecondOfDay == 0
        Some(moment.toLocalDate.toEpochDay)
          .filter(day => midnight && day.isValidInt)
          .map(day => Literal.Date(day.toInt))
      case LakeType.Timestamp | LakeType.TimestampS | LakeType.TimestampMs | LakeType.TimestampNs =>
        val seconds = moment.toLocalDate.toEpochDay * 86400L + moment.toLocalTime.toSecondOfDay
        val ticks = BigInt(seconds) * ValueText.ticksPerSecond(lakeType)
        Option.when(ticks.isValidLong)(Literal.Timestamp(ticks.toLong))
      case _ => None
    }

  private def before(literal: Literal): Literal =
    literal match {
      case Literal.Date(days) => Literal.Date(days - 1)
      case Literal.Timestamp(ticks) => Literal.Timestamp(ticks - 1)
      case other => other
    }
}
