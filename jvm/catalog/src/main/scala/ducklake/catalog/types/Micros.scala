package ducklake.catalog.types

/** The unit of times, timestamps and intervals. */
private[types] object Micros {
  val PerSecond: Long = 1000000L
}
