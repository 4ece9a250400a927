package ducklake.catalog.types.text

import ducklake.catalog.types.Literal
import ducklake.catalog.types.Micros

import java.util.Locale

/** Intervals: `1 year 2 months 3 days 04:05:06.789` as DuckDB writes them, and PostgreSQL's
  * `1 year 2 mons -3 days -04:05:06.789`.
  *
  * Source: DuckDB 1.5.5 and PostgreSQL 15, observed.
  */
private[text] object IntervalText {
  private val clockPattern = """([+-]?)(\d+):(\d{1,2})(?::(\d{1,2})(?:\.(\d*))?)?""".r
  private val numberPattern = """([+-]?\d+)""".r
  private val monthsPerYear = 12

  def parse(text: String): Option[Literal.Interval] = {
    val words = text.trim.toLowerCase(Locale.ROOT).split("\\s+").toList
    for {
      parts <- if (text.isBlank) None else sum(words, Parts(0, 0, 0))
      if parts.months.isValidInt && parts.days.isValidInt && parts.micros.isValidLong
    } yield Literal.Interval(parts.months.toInt, parts.days.toInt, parts.micros.toLong)
  }

  def print(interval: Literal.Interval): String = {
    val years = interval.months / monthsPerYear
    val months = interval.months % monthsPerYear
    val units =
      Vector(counted(years, "year"), counted(months, "month"), counted(interval.days, "day"))
    val clock = Option.when(interval.micros != 0)(printClock(interval.micros))
    val parts = units.flatten ++ clock
    if (parts.isEmpty) "00:00:00" else parts.mkString(" ")
  }

  private final case class Parts(months: BigInt, days: BigInt, micros: BigInt)

  @annotation.tailrec
  private def sum(words: List[String], parts: Parts): Option[Parts] =
    words match {
      case Nil => Some(parts)
      case "ago" :: Nil => Some(Parts(-parts.months, -parts.days, -parts.micros))
      case clockPattern(sign, hours, minutes, seconds, fraction) :: rest =>
        val micros = clockMicros(hours, minutes, seconds, fraction)
        val signed = if (sign == "-") -micros else micros
        sum(rest, parts.copy(micros = parts.micros + signed))
      case numberPattern(count) :: unit :: rest =>
        add(parts, BigInt(count.stripPrefix("+")), unit) match {
          case Some(next) => sum(rest, next)
          case None => None
        }
      case _ => None
    }

  private def add(parts: Parts, count: BigInt, unit: String): Option[Parts] = {
    def months(each: Int) = Some(parts.copy(months = parts.months + count * each))
    def days(each: Int) = Some(parts.copy(days = parts.days + count * each))
    def micros(each: Long) = Some(parts.copy(micros = parts.micros + count * each))
    unit.stripSuffix("s") match {
      case "millennium" | "millennia" => months(12000)
      case "century" | "centurie" => months(1200)
      case "decade" => months(120)
      case "year" | "yr" => months(monthsPerYear)
      case "quarter" => months(3)
      case "month" | "mon" => months(1)
      case "week" => days(7)
      case "day" => days(1)
      case "hour" | "hr" => micros(3600000000L)
      case "minute" | "min" => micros(60000000L)
      case "second" | "sec" => micros(Micros.PerSecond)
      case "millisecond" | "msec" => micros(1000L)
      case "microsecond" | "usec" | "us" => micros(1L)
      case _ => None
    }
  }

  private def clockMicros(
      hours: String,
      minutes: String,
      seconds: String,
      fraction: String,
  ): BigInt = {
    val whole = BigInt(hours) * 3600 + BigInt(minutes) * 60 + Option(seconds).fold(0)(_.toInt)
    whole * Micros.PerSecond +
      TemporalText.fractionTicks(fraction, Micros.PerSecond)
  }

  private def counted(count: Int, unit: String): Option[String] =
    Option.when(count != 0)(s"$count $unit${if (Math.abs(count) == 1) "" else "s"}")

  private def printClock(micros: Long): String = {
    val size = BigInt(micros).abs
    val seconds = (size / Micros.PerSecond).toLong
    val fraction = (size % Micros.PerSecond).toLong
    val sign = if (micros < 0) "-" else ""
    f"$sign${seconds / 3600}%02d:${seconds / 60 % 60}%02d:${seconds % 60}%02d" +
      TemporalText.printFraction(fraction, Micros.PerSecond)
  }
}
