package ducklake.catalog.change.statistics

import ducklake.catalog.model.ColumnStatistics
import ducklake.catalog.types.LakeType
import ducklake.catalog.types.bound.BoundText

/** The bounds of a column as they are stored.
  *
  * @param min in the spelling of the statistics; None: not known
  * @param minIsExact whether the smallest value has this text; None when there is no bound
  */
private[change] final case class StoredBounds(
    min: Option[String],
    max: Option[String],
    minIsExact: Option[Boolean],
    maxIsExact: Option[Boolean],
)

private[change] object StoredBounds {

  /** Only bounds of texts and bytes can be inexact: the statistics have only their first bytes, and
    * a file of another engine may have fewer.
    *
    * Source: format 14.4.
    */
  def of(statistics: ColumnStatistics, lakeType: LakeType.Primitive): StoredBounds = {
    val kept = statistics.truncated(lakeType)
    val (min, max) = BoundText.of(kept.min, kept.max, lakeType)
    def isExact(isValue: Boolean): Boolean = isValue || !isTruncatable(lakeType)
    StoredBounds(
      min,
      max,
      min.map(_ => isExact(kept.minIsValue)),
      max.map(_ => isExact(kept.maxIsValue)),
    )
  }

  private def isTruncatable(lakeType: LakeType.Primitive): Boolean =
    lakeType match {
      case LakeType.Varchar | LakeType.Json | LakeType.Blob => true
      case _ => false
    }
}
