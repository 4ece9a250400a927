package ducklake.catalog.cache

import ducklake.catalog.listing.ColumnSummary
import ducklake.catalog.model.ColumnStatistics
import ducklake.catalog.sql.query.StatisticsFlags
import ducklake.catalog.types.LakeType
import ducklake.catalog.types.Literal
import ducklake.catalog.types.bound.ExactBounds

/** The statistics of one column for each file of an index, as far as pruning and aggregates need
  * them.
  *
  * @param nulls the number of NULLs, for files with the flag for NULLs; empty when no file has
  *   NULLs
  */
final class ColumnIndex private[catalog] (
    val dataType: LakeType.Primitive,
    private[catalog] val flags: Array[Byte],
    private[catalog] val nulls: Array[Long],
    private[catalog] val min: Bounds,
    private[catalog] val max: Bounds,
) {
  import ColumnIndex.*

  def size: Int = flags.length

  /** For all files together. Kept, because a table may have a million files. */
  lazy val summary: ColumnSummary = ColumnSummaries.of(this)

  def bytes: Long = flags.length + 8L * nulls.length + min.bytes + max.bytes

  /** None where the catalog has no row. */
  def statistics(at: Int): Option[ColumnStatistics] = {
    val known = flags(at)
    Option.when(known != 0) {
      ColumnStatistics(
        min = if (has(known, HasMin)) min.literal(at) else None,
        max = if (has(known, HasMax)) max.literal(at) else None,
        valueCount = count(known, NoValues, SomeValues, 1L),
        nullCount = nullCount(at),
        containsNan = containsNan(at),
        sizeBytes = None,
      )
    }
  }

  def smallest(at: Int): Option[Literal] =
    if (has(flags(at), HasMin)) min.literal(at) else None

  def greatest(at: Int): Option[Literal] =
    if (has(flags(at), HasMax)) max.literal(at) else None

  /** The minimum, when it is exact. Texts are exact when the catalog records that they are values.
    */
  def exactMin(at: Int): Option[Literal] =
    smallest(at)
      .filter(isText(_) && min.isValue(at))
      .orElse(ExactBounds.min(smallest(at), dataType))

  /** The maximum, likewise. */
  def exactMax(at: Int): Option[Literal] =
    greatest(at)
      .filter(isText(_) && max.isValue(at))
      .orElse(ExactBounds.max(greatest(at), containsNan(at), dataType))

  /** Whether the catalog has a row for the file. */
  def hasRow(at: Int): Boolean = flags(at) != 0

  /** Whether the file is known to hold only NULLs. */
  def isWithoutValues(at: Int): Boolean = has(flags(at), NoValues)

  def nullCount(at: Int): Option[Long] =
    count(flags(at), NoNulls, SomeNulls, if (nulls.isEmpty) 1L else nulls(at))

  def containsNan(at: Int): Option[Boolean] = Option.when(has(flags(at), NoNan))(false)

  private def isText(bound: Literal): Boolean = bound match {
    case Literal.Text(_) => true
    case _ => false
  }

  private def count(known: Byte, zero: Int, some: Int, number: => Long): Option[Long] =
    if (has(known, zero)) Some(0L) else if (has(known, some)) Some(number) else None
}

object ColumnIndex {

  /** The flags that SQL statements compute, for [[ColumnIndexBuilder.put]]. */
  val Flags: StatisticsFlags = new StatisticsFlags(8, 16, 32, 64, 128, 256, 512)

  private[catalog] val HasRow: Int = 1
  private[catalog] val HasMin: Int = 2
  private[catalog] val HasMax: Int = 4
  private[catalog] val NoValues: Int = 8
  private[catalog] val SomeValues: Int = 16
  private[catalog] val NoNulls: Int = 32
  private[catalog] val SomeNulls: Int = 64

  /** Of a row that says that a file has no rows, which no file is: it is not believed. */
  private[catalog] val NoCounts: Int = NoValues | NoNulls
  private[catalog] val NoNan: Int = 128

  /** Stored with the bounds of texts, because only these need the flags, and a byte has no room for
    * more.
    */
  private[catalog] val MinIsValue: Int = 256
  private[catalog] val MaxIsValue: Int = 512

  private[catalog] def has(flags: Byte, flag: Int): Boolean = (flags & flag) != 0
}
