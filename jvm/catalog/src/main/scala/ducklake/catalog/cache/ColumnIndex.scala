package ducklake.catalog.cache

import ducklake.catalog.model.ColumnStatistics
import ducklake.catalog.sql.CountFlags
import ducklake.catalog.types.LakeType
import ducklake.catalog.types.Literal

/** The statistics of one column for each file of an index, as far as pruning needs them. For counts
  * it only stores whether they are zero.
  */
final class ColumnIndex private[cache] (
    val dataType: LakeType.Primitive,
    private[cache] val flags: Array[Byte],
    private[cache] val min: Bounds,
    private[cache] val max: Bounds,
) {
  import ColumnIndex.*

  def bytes: Long = flags.length + min.bytes + max.bytes

  /** None where the catalog has no row. */
  def statistics(at: Int): Option[ColumnStatistics] = {
    val known = flags(at)
    Option.when(known != 0) {
      ColumnStatistics(
        min = if (has(known, HasMin)) min.literal(at) else None,
        max = if (has(known, HasMax)) max.literal(at) else None,
        valueCount = count(known, NoValues, SomeValues),
        nullCount = count(known, NoNulls, SomeNulls),
        containsNan = Option.when(has(known, NoNan))(false),
        sizeBytes = None,
      )
    }
  }

  def smallest(at: Int): Option[Literal] =
    if (has(flags(at), HasMin)) min.literal(at) else None

  private def count(known: Byte, zero: Int, some: Int): Option[Long] =
    if (has(known, zero)) Some(0L) else if (has(known, some)) Some(1L) else None
}

object ColumnIndex {

  /** The flags that SQL statements compute from counts, for [[ColumnIndexBuilder.put]]. */
  val CountFlags: CountFlags = new CountFlags(8, 16, 32, 64, 128)

  private[cache] val HasRow: Int = 1
  private[cache] val HasMin: Int = 2
  private[cache] val HasMax: Int = 4
  private[cache] val NoValues: Int = 8
  private[cache] val SomeValues: Int = 16
  private[cache] val NoNulls: Int = 32
  private[cache] val SomeNulls: Int = 64
  private[cache] val NoNan: Int = 128

  private[cache] def has(flags: Byte, flag: Int): Boolean = (flags & flag) != 0
}
