package ducklake.catalog.change.operation

import ducklake.catalog.types.PartitionId

/** A set of rows of a table. */
sealed trait RowScope

object RowScope {
  case object Every extends RowScope

  /** @param layout the partition spec of the values
    * @param values the partition values by key, in the text that is stored for files
    */
  final case class Partitions(layout: PartitionId, values: Set[Vector[Option[String]]])
      extends RowScope
}
