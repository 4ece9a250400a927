package ducklake.catalog.model

import ducklake.catalog.types.LakeType
import ducklake.catalog.types.Literal
import ducklake.catalog.types.bound.BoundText

/** Statistics of one leaf column of one file. None means unknown, never empty.
  *
  * @param valueCount values other than NULL
  * @param containsNan known for floats only
  * @param minIsValue whether a minimum of texts or bytes is known to be a value of the column, not
  *   truncated
  * @param maxIsValue as `minIsValue`, for the maximum
  */
final case class ColumnStatistics(
    min: Option[Literal],
    max: Option[Literal],
    valueCount: Option[Long],
    nullCount: Option[Long],
    containsNan: Option[Boolean],
    sizeBytes: Option[Long],
    minIsValue: Boolean = false,
    maxIsValue: Boolean = false,
) {

  /** Whether neither bound of texts is as long as those that are truncated. A truncated maximum may be
    * shorter, where its end could not be raised.
    */
  def hasShortTexts: Boolean =
    (minIsValue || !min.exists(BoundText.mayBeTruncated)) &&
      (maxIsValue || !max.exists(BoundText.mayBeTruncated))

  /** The same with bounds as short as the catalog keeps them, see [[BoundText.truncated]]. A task
    * sends these to the driver, because a bound may be as long as the column's values.
    */
  def truncated(lakeType: LakeType.Primitive): ColumnStatistics = {
    val (least, greatest) = BoundText.truncated(min, max, lakeType)
    copy(
      min = least,
      max = greatest,
      minIsValue = minIsValue && least == min,
      maxIsValue = maxIsValue && greatest == max,
    )
  }
}
