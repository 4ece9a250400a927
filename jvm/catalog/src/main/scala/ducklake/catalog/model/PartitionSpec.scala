package ducklake.catalog.model

import ducklake.catalog.partition.Transform
import ducklake.catalog.types.ColumnId
import ducklake.catalog.types.PartitionId

/** The partition keys of files, in the order of their index.
  *
  * @param changed columns of keys that were changed since the spec began; filled only for the
  *   current spec of a table
  */
final case class PartitionSpec(
    id: PartitionId,
    keys: Vector[PartitionKey],
    changed: Set[ColumnId] = Set.empty,
) {
  def hasBuckets: Boolean = keys.exists(_.isBucket)
}

final case class PartitionKey(index: Int, column: ColumnId, transform: Transform) {
  def isBucket: Boolean = transform match {
    case Transform.Bucket(_) => true
    case Transform.Identity | Transform.Epoch(_) | _: Transform.Calendar => false
  }
}

/** A sort order: expressions in SQL text. */
final case class SortSpec(id: Long, keys: Vector[SortKey])

final case class SortKey(
    expression: String,
    dialect: String,
    direction: SortDirection,
    nulls: NullOrder,
)

sealed trait SortDirection

object SortDirection {
  case object Ascending extends SortDirection
  case object Descending extends SortDirection
}

sealed trait NullOrder

object NullOrder {
  case object First extends NullOrder
  case object Last extends NullOrder
}
