package ducklake.catalog.types

/** Timestamps with fewer digits, as DuckDB casts them. Infinite values stay what they are.
  *
  * Source: DuckDB 1.5.5, observed.
  */
object CoarserTime {

  /** Converts microseconds to a coarser unit. Halves are rounded away from zero. */
  def ofMicros(micros: Long, microsPerUnit: Long): Long =
    if (isInfinite(micros)) micros
    else {
      val size = Math.abs(micros)
      val isUp = size % microsPerUnit * 2 >= microsPerUnit
      val units = size / microsPerUnit + (if (isUp) 1L else 0L)
      if (micros < 0) -units else units
    }

  /** Converts nanoseconds to microseconds, towards zero. */
  def ofNanos(nanos: Long): Long = if (isInfinite(nanos)) nanos else nanos / 1000L

  private def isInfinite(ticks: Long): Boolean = ticks.abs == TemporalText.InfiniteTicks
}
