package ducklake.spark.changes.plan

import ducklake.catalog.model.SnapshotRange
import ducklake.catalog.types.SnapshotId
import ducklake.spark.changes.ChangeSide
import ducklake.spark.changes.FeedColumn
import ducklake.spark.changes.task.FeedBatches
import org.apache.spark.sql.connector.expressions.Literal
import org.apache.spark.sql.connector.expressions.NamedReference
import org.apache.spark.sql.connector.expressions.filter
import org.apache.spark.unsafe.types.UTF8String

/** The part of a feed that remains under filters on its own columns: fewer snapshots, or only one
  * side. Rows for which a filter is false may remain.
  *
  * @param own the feed's own columns by name
  * @param filters filters that all must hold
  */
private[changes] final class FeedFilters(
    own: Map[String, FeedColumn],
    filters: Vector[filter.Predicate],
) {

  private val comparisons: Vector[(FeedColumn, String, Vector[Any])] = filters.flatMap { found =>
    val children = found.children().toVector
    val values = children.drop(1).collect { case literal: Literal[_] => literal.value() }
    children.headOption
      .collect { case name: NamedReference => name.fieldNames().toVector }
      .collect { case Vector(name) => name }
      .flatMap(own.get)
      .filter(_ => values.nonEmpty && values.length == children.length - 1)
      .map((_, found.name(), values))
  }

  /** The snapshots of the range that remain under the filters; the range may be empty. */
  def within(range: SnapshotRange): SnapshotRange =
    comparisons.foldLeft(range) {
      case (left, (FeedColumn.Snapshot, operator, values)) =>
        val ids = values.collect { case id: Long => id }
        if (ids.length == values.length) left.intersect(idsOf(operator, ids)) else left
      case (left, _) => left
    }

  /** The sides that remain under the filters. */
  def among(sides: Vector[ChangeSide]): Vector[ChangeSide] =
    comparisons.foldLeft(sides) {
      case (left, (FeedColumn.ChangeType | FeedColumn.PlainChangeType, "=" | "IN", values)) =>
        val types = values.collect {
          case text: UTF8String => text.toString
          case text: String => text
        }
        if (types.length < values.length) left
        else left.filter(FeedBatches.typesOf(_).exists(types.contains))
      case (left, _) => left
    }

  private def idsOf(operator: String, ids: Vector[Long]): SnapshotRange = {
    val (first, last) = operator match {
      case "=" | "IN" => (ids.min, ids.max)
      case ">" => (if (ids.head == Long.MaxValue) ids.head else ids.head + 1, Long.MaxValue)
      case ">=" => (ids.head, Long.MaxValue)
      case "<" => (Long.MinValue, if (ids.head == Long.MinValue) ids.head else ids.head - 1)
      case "<=" => (Long.MinValue, ids.head)
      case _ => (Long.MinValue, Long.MaxValue)
    }
    SnapshotRange(SnapshotId(first), SnapshotId(last))
  }
}
