package ducklake.catalog.types.cast

import ducklake.catalog.types.text.TemporalText

/** Timestamps with fewer digits, as DuckDB casts them. Infinite values do not change.
  *
  * Source: DuckDB 1.5.5, observed.
  */
object TemporalRounding {

  /** Converts microseconds to a coarser unit. Halves are rounded away from zero. */
  def ofMicros(micros: Long, microsPerUnit: Long): Long =
    TemporalText.rounded(micros, microsPerUnit)

  /** Whether microseconds hold a timestamp of a coarser unit. DuckDB reads no other. */
  def isInMicros(units: Long, microsPerUnit: Long): Boolean = {
    val most = Long.MaxValue / microsPerUnit
    isInfinite(units) || (units >= -most && units <= most)
  }

  /** Converts nanoseconds to microseconds, towards zero. */
  def ofNanos(nanos: Long): Long = if (isInfinite(nanos)) nanos else nanos / 1000L

  private def isInfinite(ticks: Long): Boolean = ticks.abs == TemporalText.InfiniteTicks
}
