package ducklake.catalog.types.text

import java.time.DateTimeException
import java.time.Instant
import java.time.LocalDateTime
import java.time.ZoneOffset

/** Points in time as DuckDB stores them in SQLite: `2026-11-20 17:13:52.952682+00`, with any
  * offset.
  *
  * Source: format 1.4.
  */
object InstantText {
  private val Shape =
    """(\d{4,})-(\d\d)-(\d\d)[ T](\d\d):(\d\d):(\d\d)(?:\.(\d{1,9}))?(?:Z|([+-])(\d\d)(?::?(\d\d))?(?::?(\d\d))?)?""".r

  def parse(text: String): Option[Instant] = text match {
    case Shape(year, month, day, hour, minute, second, fraction, sign, offH, offM, offS) =>
      val nanos = Option(fraction).fold(0)(_.padTo(9, '0').toInt)
      val size = number(offH) * 3600 + number(offM) * 60 + number(offS)
      try {
        val local = LocalDateTime
          .of(year.toInt, month.toInt, day.toInt, hour.toInt, minute.toInt, second.toInt, nanos)
        Some(local.toInstant(ZoneOffset.ofTotalSeconds(if (sign == "-") -size else size)))
      } catch { case _: DateTimeException => None }
    case _ => None
  }

  /** The text in UTC with microseconds, without trailing zeros of the fraction. */
  def print(instant: Instant): String = {
    val local = LocalDateTime.ofInstant(instant, ZoneOffset.UTC)
    val micros = local.getNano / 1000
    val fraction = if (micros == 0) "" else f".$micros%06d".reverse.dropWhile(_ == '0').reverse
    f"${local.getYear}%04d-${local.getMonthValue}%02d-${local.getDayOfMonth}%02d " +
      f"${local.getHour}%02d:${local.getMinute}%02d:${local.getSecond}%02d$fraction+00"
  }

  private def number(digits: String): Int = Option(digits).fold(0)(_.toInt)
}
