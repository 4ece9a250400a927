package ducklake.catalog.types.text

import java.time.DateTimeException
import java.time.Instant
import java.time.LocalDateTime
import java.time.ZoneOffset
import java.time.temporal.ChronoUnit

/** Ages in lake options, such as `2 days`: intervals as DuckDB reads them. */
object AgeText {

  /** The point in time that lies the age before `now`, by the calendar of UTC. None for a text that
    * is not an interval, and for a time outside the calendar.
    *
    * Source: DuckDB 1.5.5, `expire_older_than` and `delete_older_than`.
    */
  def before(now: Instant, age: String): Option[Instant] =
    DuckDbIntervalText.parse(age).flatMap { interval =>
      try {
        val day = LocalDateTime
          .ofInstant(now, ZoneOffset.UTC)
          .minusMonths(interval.months.toLong)
          .minusDays(interval.days.toLong)
        Some(day.toInstant(ZoneOffset.UTC).minus(interval.micros, ChronoUnit.MICROS))
      } catch { case _: DateTimeException | _: ArithmeticException => None }
    }
}
