package ducklake.catalog.partition

/** The transform of a partition key. Calendar transforms give calendar parts, unlike Iceberg's,
  * which count from 1970.
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
