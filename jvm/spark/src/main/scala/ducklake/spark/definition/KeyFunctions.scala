package ducklake.spark.definition

import ducklake.catalog.change.operation.FormatRules
import ducklake.catalog.partition.Transform
import ducklake.catalog.partition.TransformText
import ducklake.catalog.sql.FormatVersion

import java.util.Locale

/** The functions of partition keys.
  *
  * Source: jvm/docs/statements.md, "Partition keys"; format 14.5.
  */
object KeyFunctions {

  private val Hint: String =
    "DuckLake has a column itself, or year, month, day, hour and bucket(n, …) of a column."

  private val EpochHint: String =
    "DuckLake has a column itself, or year, month, day, hour, epoch_year, epoch_month, epoch_day, " +
      "epoch_hour and bucket(n, …) of a column."

  private val NoEpochHint: String =
    "Lakes of version 1.0 have no such key. Keys of a calendar are year, month, day and hour."

  /** The transforms of a function. Spark's plural names count from 1970; lakes have these
    * transforms since version 1.1. In older lakes the names stand for several transforms, such as
    * `days` for year, month and day. Left: what to use instead of an unknown function.
    *
    * @param count the number before the column, which only `bucket` has
    */
  def of(
      function: String,
      count: Option[Int],
      version: FormatVersion,
  ): Either[String, Vector[Transform]] =
    (function.toLowerCase(Locale.ROOT), count) match {
      case ("bucket", Some(number)) if number > 0 => Right(Vector(Transform.Bucket(number)))
      case ("identity", None) => Right(Vector(Transform.Identity))
      case (name, None) =>
        val found = TransformText.parse(name).map(Vector(_)).orElse(plural(name, version))
        found
          .toRight(hint(version))
          .filterOrElse(_.forall(new FormatRules(version).has), NoEpochHint)
      case _ => Left(hint(version))
    }

  private def plural(name: String, version: FormatVersion): Option[Vector[Transform]] =
    Transform.units.find(unit => s"${TransformText.print(unit)}s" == name).map { unit =>
      if (version.hasEpochTransforms) Vector(Transform.Epoch(unit))
      else Transform.units.take(Transform.units.indexOf(unit) + 1)
    }

  def hint(version: FormatVersion): String =
    if (version.hasEpochTransforms) EpochHint else Hint
}
