package ducklake.catalog.change.operation

import ducklake.catalog.change.statistics.ColumnBounds
import ducklake.catalog.change.statistics.LeafColumns
import ducklake.catalog.change.statistics.TableStatistics
import ducklake.catalog.model.LakeTable
import ducklake.catalog.types.Column
import ducklake.catalog.types.ColumnId
import ducklake.catalog.types.LakeType
import ducklake.catalog.types.bound.BoundText

/** Which parts of a table's shape a rollback changes.
  *
  * @param name whether the name or the schema changes
  * @param comments whether the comments of columns change
  * @param retyped leaf columns whose type changes
  */
final case class RestoredShape(
    name: Boolean,
    columns: Boolean,
    comments: Boolean,
    partition: Boolean,
    sort: Boolean,
    tags: Boolean,
    retyped: Set[ColumnId],
) {
  def isChanged: Boolean = name || columns || comments || partition || sort || tags

  /** Whether the change gives the table a new schema version. */
  def isVersioned: Boolean = name || columns || partition
}

object RestoredShape {

  /** @param present the table now; None when it was dropped, so that every part changes */
  def between(present: Option[LakeTable], past: LakeTable): RestoredShape =
    present match {
      case None =>
        RestoredShape(
          name = true,
          columns = true,
          comments = true,
          partition = true,
          sort = true,
          tags = true,
          Set.empty,
        )
      case Some(now) =>
        val areOthers = uncommented(now.columns) != uncommented(past.columns)
        RestoredShape(
          name = now.name != past.name || now.schema.id != past.schema.id,
          columns = areOthers,
          comments = areOthers || now.columns != past.columns,
          partition = now.partition.map(_.id) != past.partition.map(_.id),
          sort = now.sort.map(_.id) != past.sort.map(_.id),
          tags = now.tags != past.tags,
          retyped(now, past),
        )
    }

  /** Leaf columns of the past whose bounds in the statistics of the table are no values of their
    * past types. A bound like this remains when a column is promoted and then dropped.
    */
  def unfit(past: LakeTable, known: Option[TableStatistics]): Set[ColumnId] = {
    val stored = known.fold(Map.empty[ColumnId, ColumnBounds])(_.columns)
    LeafColumns
      .of(past.columns)
      .collect {
        case (id, lakeType) if stored.get(id).exists(isUnfit(_, lakeType)) => id
      }
      .toSet
  }

  private def isUnfit(bounds: ColumnBounds, lakeType: LakeType.Primitive): Boolean =
    (bounds.min ++ bounds.max).exists(!BoundText.isReadable(_, lakeType))

  private def uncommented(columns: Vector[Column]): Vector[Column] =
    columns.map(column => column.copy(comment = None, children = uncommented(column.children)))

  private def retyped(now: LakeTable, past: LakeTable): Set[ColumnId] = {
    val before = LeafColumns.of(now.columns)
    LeafColumns
      .of(past.columns)
      .collect {
        case (id, lakeType) if before.get(id).exists(_ != lakeType) => id
      }
      .toSet
  }
}
