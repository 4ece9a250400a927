package ducklake.spark.session

import ducklake.catalog.SnapshotOverlay
import ducklake.catalog.change.operation.Operation
import ducklake.catalog.model.LakeTable
import ducklake.catalog.types.Column
import ducklake.catalog.types.ColumnId

/** The table changes that a statement has made and not yet committed. */
private[session] final class PendingColumns(changes: Vector[Operation.AlterTable])
    extends SnapshotOverlay {

  override def table(found: LakeTable): LakeTable =
    changes.find(_.table.id == found.id).fold(found) { alter =>
      found.copy(columns = alter.definition.columns, tags = alter.definition.tags)
    }

  override def nextColumnId(table: LakeTable)(next: => ColumnId): ColumnId = {
    val columns = changes.filter(_.table.id == table.id).flatMap(_.definition.columns)
    ColumnId((next.value +: idsOf(columns).map(_ + 1)).max)
  }

  private def idsOf(columns: Vector[Column]): Vector[Long] =
    columns.flatMap(column => column.id.value +: idsOf(column.children))
}
