package ducklake.catalog.partition

import ducklake.catalog.types.LakeType
import ducklake.catalog.types.Literal
import ducklake.catalog.types.text.ValueText

import java.time.LocalDate

/** Whole years, months, days or hours since 1970-01-01 in UTC, rounded down.
  *
  * Source: format 14.5; DuckDB 2.0.0, observed (the function date_diff that it computes them
  * with).
  */
object EpochOrdinal {
  private val secondsPerDay = 86400L
  private val secondsPerHour = 3600L
  private val hoursPerDay = 24L
  private val firstYear = 1970L

  /** Years beyond the widest type, so that arithmetic with ordinals cannot overflow. */
  private val mostYears = 10000000L

  /** The ordinal of a value. None for NULL, for infinite values, and for types without a date. */
  def of(unit: Transform.Calendar, literal: Literal, lakeType: LakeType.Primitive): Option[Long] =
    literal match {
      case _ if CalendarParts.isInfinite(literal) => None
      case Literal.Date(days) => Some(ofSecond(unit, days * secondsPerDay))
      case Literal.Timestamp(ticks) =>
        Some(ofSecond(unit, Math.floorDiv(ticks, ValueText.ticksPerSecond(lakeType))))
      case _ => None
    }

  /** The ordinal of a time.
    *
    * @param second seconds since 1970
    */
  def ofSecond(unit: Transform.Calendar, second: Long): Long =
    unit match {
      case Transform.Hour => Math.floorDiv(second, secondsPerHour)
      case Transform.Day => Math.floorDiv(second, secondsPerDay)
      case Transform.Month =>
        val date = dateOf(second)
        (date.getYear - firstYear) * 12 + date.getMonthValue - 1
      case Transform.Year => dateOf(second).getYear - firstYear
    }

  private def dateOf(second: Long): LocalDate =
    LocalDate.ofEpochDay(Math.floorDiv(second, secondsPerDay))

  /** The first and the last value with this ordinal. The last value is the infinite one when the
    * type has no values after the period. None for ordinals that the type does not reach.
    */
  def range(
      unit: Transform.Calendar,
      ordinal: Long,
      lakeType: LakeType.Primitive,
  ): Option[(Literal, Literal)] =
    for {
      start <- startOf(unit, ordinal)
      end <- startOf(unit, ordinal + 1)
      found <- within(start, end, lakeType)
    } yield found

  /** The first second of the period. */
  private def startOf(unit: Transform.Calendar, ordinal: Long): Option[Long] = {
    val perYear = unit match {
      case Transform.Year => 1L
      case Transform.Month => 12L
      case Transform.Day => 366L
      case Transform.Hour => 366L * hoursPerDay
    }
    Option.when(ordinal.abs <= mostYears * perYear) {
      unit match {
        case Transform.Hour => ordinal * secondsPerHour
        case Transform.Day => ordinal * secondsPerDay
        case Transform.Month => LocalDate.EPOCH.plusMonths(ordinal).toEpochDay * secondsPerDay
        case Transform.Year => LocalDate.EPOCH.plusYears(ordinal).toEpochDay * secondsPerDay
      }
    }
  }

  /** The values from one second until another. */
  private def within(
      start: Long,
      end: Long,
      lakeType: LakeType.Primitive,
  ): Option[(Literal, Literal)] =
    lakeType match {
      case LakeType.Date =>
        val (first, last) =
          (Math.floorDiv(start, secondsPerDay), Math.floorDiv(end - 1, secondsPerDay))
        Option.when(last >= -Int.MaxValue && first <= Int.MaxValue) {
          (Literal.Date(clamped(first, Int.MaxValue)), Literal.Date(clamped(last, Int.MaxValue)))
        }
      case _ if TransformValue.hasDate(lakeType) =>
        val perSecond = BigInt(ValueText.ticksPerSecond(lakeType))
        val (first, last) = (perSecond * start, perSecond * end - 1)
        Option.when(last >= -Long.MaxValue && first <= Long.MaxValue) {
          (Literal.Timestamp(clamped(first)), Literal.Timestamp(clamped(last)))
        }
      case _ => None
    }

  private def clamped(days: Long, most: Int): Int =
    days.max(-most.toLong).min(most.toLong).toInt

  private def clamped(ticks: BigInt): Long =
    ticks.max(BigInt(-Long.MaxValue)).min(BigInt(Long.MaxValue)).toLong
}
