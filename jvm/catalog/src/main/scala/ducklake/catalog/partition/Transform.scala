package ducklake.catalog.partition

/** What a partition key does to its column. The calendar ones give calendar parts, not counts.
  *
  * Source: spec 1.0, ducklake_partition_column; DuckDB 1.5.5 (format 8.2).
  */
sealed trait Transform

object Transform {
  case object Identity extends Transform
  case object Year extends Transform
  case object Month extends Transform
  case object Day extends Transform
  case object Hour extends Transform
  final case class Bucket(count: Int) extends Transform
}
