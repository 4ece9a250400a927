package ducklake.spark.write

/** Which rows a write puts its own in the place of. */
sealed trait Replacement

object Replacement {

  /** None: an append. */
  case object Nothing extends Replacement

  /** All rows of the table. */
  case object Everything extends Replacement
}
