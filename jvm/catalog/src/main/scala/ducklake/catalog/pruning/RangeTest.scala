package ducklake.catalog.pruning

import ducklake.catalog.cache.Bounds
import ducklake.catalog.cache.ColumnIndex
import ducklake.catalog.predicate.Comparison
import ducklake.catalog.predicate.Predicate
import ducklake.catalog.types.ColumnId
import ducklake.catalog.types.LakeType
import ducklake.catalog.types.Literal

import java.nio.charset.StandardCharsets

/** A quick necessary condition for a match: the range of values that satisfy the predicate overlaps
  * with the range of the file's values.
  */
private[catalog] sealed trait RangeTest {
  def mayMatch(at: Int): Boolean
}

private[catalog] object RangeTest {

  /** None for predicates that only the exact test can evaluate. */
  def of(predicate: Predicate, columns: Map[ColumnId, ColumnIndex]): Option[RangeTest] =
    for {
      range <- range(predicate)
      index <- columns.get(range.column)
      test <- test(index, range)
    } yield test

  /** Values that satisfy the predicate lie between the smallest of `from` and the greatest of `to`.
    * An empty side has no limit.
    */
  private final case class Range(column: ColumnId, from: Vector[Literal], to: Vector[Literal])

  private def range(predicate: Predicate): Option[Range] = predicate match {
    case Predicate.Compare(column, operator, value) =>
      val only = Vector(value)
      operator match {
        case Comparison.Equal => Some(Range(column, only, only))
        case Comparison.Less | Comparison.LessOrEqual => Some(Range(column, Vector.empty, only))
        case Comparison.Greater | Comparison.GreaterOrEqual =>
          Some(Range(column, only, Vector.empty))
        case Comparison.NotEqual => None
      }
    case Predicate.In(column, values) if values.nonEmpty => Some(Range(column, values, values))
    case _ => None
  }

  private def test(index: ColumnIndex, range: Range): Option[RangeTest] =
    (index.min, index.max) match {
      case (min: Bounds.Longs, max: Bounds.Longs) if min.form.isOrdered =>
        Option.when((range.from ++ range.to).forall(min.form.write.isDefinedAt)) {
          val low = range.from.map(min.form.write).minOption.getOrElse(Long.MinValue)
          val high = range.to.map(min.form.write).maxOption.getOrElse(Long.MaxValue)
          new LongRange(index.flags, min.values, max.values, low, high)
        }
      case (min: Bounds.Texts, max: Bounds.Texts) if index.dataType == LakeType.Varchar =>
        val low = range.from.flatMap(bytes).minOption(byBytes)
        val high = range.to.flatMap(bytes).maxOption(byBytes)
        Some(new TextRange(index.flags, min, max, low, high))
      case _ => None
    }

  private val byBytes: Ordering[Array[Byte]] = (left, right) =>
    java.util.Arrays.compareUnsigned(left, right)

  private def bytes(literal: Literal): Option[Array[Byte]] = literal match {
    case Literal.Text(text) => Some(text.getBytes(StandardCharsets.UTF_8))
    case _ => None
  }

  private final class LongRange(
      flags: Array[Byte],
      min: Array[Long],
      max: Array[Long],
      low: Long,
      high: Long,
  ) extends RangeTest {
    def mayMatch(at: Int): Boolean = {
      val known = flags(at)
      !(ColumnIndex.has(known, ColumnIndex.HasMin) && min(at) > high) &&
      !(ColumnIndex.has(known, ColumnIndex.HasMax) && max(at) < low)
    }
  }

  private final class TextRange(
      flags: Array[Byte],
      min: Bounds.Texts,
      max: Bounds.Texts,
      low: Option[Array[Byte]],
      high: Option[Array[Byte]],
  ) extends RangeTest {
    def mayMatch(at: Int): Boolean = {
      val known = flags(at)
      !(ColumnIndex.has(known, ColumnIndex.HasMin) && high.exists(min.compare(at, _) > 0)) &&
      !(ColumnIndex.has(known, ColumnIndex.HasMax) && low.exists(max.compare(at, _) < 0))
    }
  }
}
