package ducklake.spark.definition

import ducklake.catalog.partition.Transform

import java.util.Locale

/** The functions of partition keys. Source: interface 4. */
object KeyFunctions {

  val Hint: String =
    "DuckLake has a column itself, or year, month, day, hour and bucket(n, …) of a column."

  /** The transforms of a function. Spark's plural names stand for several transforms, such as
    * `days` for year, month and day. None for an unknown function.
    *
    * @param count the number before the column, which only `bucket` has
    */
  def of(function: String, count: Option[Int]): Option[Vector[Transform]] =
    (function.toLowerCase(Locale.ROOT), count) match {
      case ("bucket", Some(number)) if number > 0 => Some(Vector(Transform.Bucket(number)))
      case ("identity", None) => Some(Vector(Transform.Identity))
      case ("year" | "years", None) => Some(Vector(Transform.Year))
      case ("month", None) => Some(Vector(Transform.Month))
      case ("day", None) => Some(Vector(Transform.Day))
      case ("hour", None) => Some(Vector(Transform.Hour))
      case ("months", None) => Some(Vector(Transform.Year, Transform.Month))
      case ("days", None) => Some(Vector(Transform.Year, Transform.Month, Transform.Day))
      case ("hours", None) =>
        Some(Vector(Transform.Year, Transform.Month, Transform.Day, Transform.Hour))
      case _ => None
    }
}
