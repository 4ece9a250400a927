package ducklake.catalog.partition

import java.util.Locale

/** The spelling of transforms in `ducklake_partition_column.transform`.
  *
  * Source: spec 1.0, ducklake_partition_column; DuckDB 1.5.5 (format 8.2); format
  * 14.5.
  */
object TransformText {
  private val bucketPattern = """bucket\s*\(\s*(\d+)\s*\)""".r

  /** The transform of a stored text. None for a text that this version does not know. */
  def parse(text: String): Option[Transform] =
    text.trim.toLowerCase(Locale.ROOT) match {
      case "identity" => Some(Transform.Identity)
      case "year" => Some(Transform.Year)
      case "month" => Some(Transform.Month)
      case "day" => Some(Transform.Day)
      case "hour" => Some(Transform.Hour)
      case s"epoch_$unit" => Transform.units.find(print(_) == unit).map(Transform.Epoch(_))
      case bucketPattern(count) => count.toIntOption.filter(_ > 0).map(Transform.Bucket(_))
      case _ => None
    }

  def print(transform: Transform): String =
    transform match {
      case Transform.Identity => "identity"
      case Transform.Year => "year"
      case Transform.Month => "month"
      case Transform.Day => "day"
      case Transform.Hour => "hour"
      case Transform.Epoch(unit) => s"epoch_${print(unit)}"
      case Transform.Bucket(count) => s"bucket($count)"
    }
}
