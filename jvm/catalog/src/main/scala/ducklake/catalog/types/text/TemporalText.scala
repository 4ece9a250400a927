package ducklake.catalog.types.text

import java.time.DateTimeException
import java.time.LocalDate
import java.util.Locale

/** Prints and parses dates, times and timestamps as DuckDB does: a blank between date and time, `
  * (BC)` after the date, a fraction without trailing zeros, `infinity`. Years have four digits or
  * more.
  *
  * Ticks are whole units of time, and `perSecond` is the number of ticks in a second. Digits below
  * the unit are dropped, but DuckDB rounds microseconds to a coarser unit.
  *
  * Source: DuckDB 1.5.5, observed.
  */
private[types] object TemporalText {
  val NanosPerSecond: Long = 1000000000L
  val InfiniteDays: Int = Int.MaxValue
  val InfiniteTicks: Long = Long.MaxValue

  private val secondsPerDay = 86400L

  private val datePart = """([+-]?\d{1,7})[-/](\d{1,2})[-/](\d{1,2})(\s*\([Bb][Cc]\))?"""
  private val timePart = """(\d{1,2}):(\d{1,2})(?::(\d{1,2})(?:\.(\d*))?)?"""
  private val offsetPart = """\s?(?:[Zz]|[Uu][Tt][Cc])|[+-]\d{1,2}(?::?\d{2}(?::\d{2})?)?"""
  private val timestampPattern = s"""$datePart(?:[ Tt]\\s*$timePart)?($offsetPart)?""".r
  private val timePattern = s"""$timePart($offsetPart)?""".r
  private val fractionPattern = """\.(\d+)""".r
  private val offsetPattern = """([+-])(\d{1,2})(?::?(\d{2})(?::(\d{2}))?)?""".r

  /** Days since 1970-01-01. A time after the date is ignored. */
  def parseDate(text: String): Option[Int] =
    infinite(text).map(sign => sign * InfiniteDays).orElse {
      text.trim match {
        case timestampPattern(year, month, day, era, _*) =>
          epochDay(year, month, day, era).filter(_.isValidInt).map(_.toInt)
        case _ => None
      }
    }

  /** Ticks since 1970-01-01 00:00:00 in local time. An offset in the text is ignored. */
  def parseLocal(text: String, perSecond: Long): Option[Long] =
    parseParts(text, perSecond, _ => Some(0))

  /** Ticks since 1970-01-01 00:00:00 UTC. A text without an offset is in UTC. */
  def parseInstant(text: String, perSecond: Long): Option[Long] =
    parseParts(text, perSecond, parseOffset)

  /** Ticks since midnight, and the offset. A text without an offset is in UTC. */
  def parseTime(text: String, perSecond: Long): Option[(Long, Int)] =
    text.trim match {
      case timePattern(hour, minute, second, fraction, offset) =>
        for {
          seconds <- secondOfDay(hour, minute, second)
          ticks = seconds * perSecond + fractionTicks(fraction, perSecond)
          if ticks <= secondsPerDay * perSecond
          offsetSeconds <- parseOffset(offset)
        } yield (ticks, offsetSeconds)
      case _ => None
    }

  /** Whether the text of a time or a timestamp has an offset, or is infinite. */
  def hasOffset(text: String): Boolean =
    infinite(text).nonEmpty || (text.trim match {
      case timestampPattern(_, _, _, _, _, _, _, _, offset) => Option(offset).nonEmpty
      case timePattern(_, _, _, _, offset) => Option(offset).nonEmpty
      case _ => false
    })

  def printDate(days: Int): String =
    if (days == InfiniteDays) "infinity"
    else if (days == -InfiniteDays) "-infinity"
    else printEpochDay(days.toLong)

  def printLocal(ticks: Long, perSecond: Long): String =
    if (ticks == InfiniteTicks) "infinity"
    else if (ticks == -InfiniteTicks) "-infinity"
    else {
      val perDay = secondsPerDay * perSecond
      val day = printEpochDay(Math.floorDiv(ticks, perDay))
      s"$day ${printTime(Math.floorMod(ticks, perDay), perSecond)}"
    }

  /** The text in UTC, with `+00`. */
  def printInstant(ticks: Long, perSecond: Long): String = {
    val local = printLocal(ticks, perSecond)
    if (local.endsWith("infinity")) local else local + "+00"
  }

  def printTime(ticks: Long, perSecond: Long): String = {
    val seconds = ticks / perSecond
    val clock = f"${seconds / 3600}%02d:${seconds / 60 % 60}%02d:${seconds % 60}%02d"
    clock + printFraction(ticks % perSecond, perSecond)
  }

  /** The fraction, such as `.789`. Empty when the ticks are zero. */
  def printFraction(ticks: Long, perSecond: Long): String =
    if (ticks == 0) ""
    else (perSecond + ticks).toString.drop(1).reverse.dropWhile(_ == '0').reverse.prepended('.')

  /** The offset, such as `+05:30`, in its shortest form. */
  def printOffset(offsetSeconds: Int): String = {
    val sign = if (offsetSeconds < 0) "-" else "+"
    val size = Math.abs(offsetSeconds)
    val (hours, minutes, seconds) = (size / 3600, size / 60 % 60, size % 60)
    if (seconds != 0) f"$sign$hours%02d:$minutes%02d:$seconds%02d"
    else if (minutes != 0) f"$sign$hours%02d:$minutes%02d"
    else f"$sign$hours%02d"
  }

  /** Ticks of the digits after the point. Digits below the unit are dropped. */
  def fractionTicks(digits: String, perSecond: Long): Long =
    Option(digits).filter(_.nonEmpty).fold(0L) { given =>
      val width = perSecond.toString.length - 1
      if (width == 0) 0L else given.take(width).padTo(width, '0').toLong
    }

  /** Microseconds as ticks of a coarser unit. Halves are rounded away from zero. */
  def rounded(micros: Long, microsPerTick: Long): Long =
    if (micros.abs == InfiniteTicks) micros
    else {
      val ticks = micros / microsPerTick
      // The remainder has the sign of the value.
      val doubled = micros % microsPerTick * 2
      if (doubled >= microsPerTick) ticks + 1L
      else if (doubled <= -microsPerTick) ticks - 1L
      else ticks
    }

  /** Whether the text has no digits below the unit. */
  def isWithin(text: String, perSecond: Long): Boolean =
    fractionPattern.findFirstMatchIn(text).forall { found =>
      found.group(1).drop(perSecond.toString.length - 1).forall(_ == '0')
    }

  private def parseParts(
      text: String,
      perSecond: Long,
      offsetOf: String => Option[Int],
  ): Option[Long] =
    infinite(text).map(sign => sign * InfiniteTicks).orElse {
      text.trim match {
        case timestampPattern(year, month, day, era, hour, minute, second, fraction, offset) =>
          for {
            days <- epochDay(year, month, day, era)
            seconds <- Option(hour).fold(Option(0L))(_ => secondOfDay(hour, minute, second))
            offsetSeconds <- offsetOf(offset)
            total = BigInt(days * secondsPerDay + seconds - offsetSeconds.toLong) * perSecond +
              fractionTicks(fraction, perSecond)
            if total.isValidLong
          } yield total.toLong
        case _ => None
      }
    }

  private def infinite(text: String): Option[Int] =
    text.trim.toLowerCase(Locale.ROOT) match {
      case "infinity" | "inf" | "+infinity" => Some(1)
      case "-infinity" | "-inf" => Some(-1)
      case _ => None
    }

  private def epochDay(year: String, month: String, day: String, era: String): Option[Long] = {
    val isoYear = Option(era).fold(year.toInt)(_ => 1 - year.toInt)
    try Some(LocalDate.of(isoYear, month.toInt, day.toInt).toEpochDay)
    catch { case _: DateTimeException => None }
  }

  private def secondOfDay(hour: String, minute: String, second: String): Option[Long] = {
    val (hours, minutes) = (hour.toLong, minute.toLong)
    val seconds = Option(second).fold(0L)(_.toLong)
    Option.when(hours <= 24 && minutes < 60 && seconds < 60) {
      hours * 3600 + minutes * 60 + seconds
    }
  }

  private def parseOffset(text: String): Option[Int] =
    Option(text).map(_.trim.toUpperCase(Locale.ROOT)) match {
      case None | Some("Z" | "UTC") => Some(0)
      case Some(offsetPattern(sign, hours, minutes, seconds)) =>
        val size = hours.toInt * 3600 + Option(minutes).fold(0)(_.toInt) * 60 +
          Option(seconds).fold(0)(_.toInt)
        Some(if (sign == "-") -size else size)
      case Some(_) => None
    }

  private def printEpochDay(epochDay: Long): String = {
    val date = LocalDate.ofEpochDay(epochDay)
    val (year, era) = if (date.getYear > 0) (date.getYear, "") else (1 - date.getYear, " (BC)")
    f"$year%04d-${date.getMonthValue}%02d-${date.getDayOfMonth}%02d$era"
  }
}
