package ducklake.catalog.partition

/** The transform of a partition key.
  *
  * Source: spec 1.0, ducklake_partition_column; DuckDB 1.5.5 (format 8.2); format 14.5.
  */
sealed trait Transform

object Transform {
  case object Identity extends Transform

  /** A part of a date or time, such as the month from 1 to 12. It is also a unit of time. */
  sealed trait Calendar extends Transform
  case object Year extends Calendar
  case object Month extends Calendar
  case object Day extends Calendar
  case object Hour extends Calendar

  /** Whole units since 1970-01-01 in UTC, as Iceberg and Spark count them. Lakes of version 1.1. */
  final case class Epoch(unit: Calendar) extends Transform
  final case class Bucket(count: Int) extends Transform

  /** The calendar units, from the greatest to the least. */
  val units: Vector[Calendar] = Vector(Year, Month, Day, Hour)
}
