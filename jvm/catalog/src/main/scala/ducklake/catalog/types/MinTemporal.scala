package ducklake.catalog.types

/** The smallest date and the smallest timestamp of Spark and of Parquet. They lie below minus
  * infinity, and DuckDB does not have them.
  */
object MinTemporal {

  /** The number of days or ticks of a value below minus infinity. */
  def unapply(literal: Literal): Option[Long] =
    PartialFunction.condOpt(literal) {
      case Literal.Date(Int.MinValue) => Int.MinValue.toLong
      case Literal.Timestamp(Long.MinValue) => Long.MinValue
    }
}
