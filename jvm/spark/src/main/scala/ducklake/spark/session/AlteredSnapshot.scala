package ducklake.spark.session

import ducklake.catalog.ForwardingSnapshot
import ducklake.catalog.LakeSnapshot
import ducklake.catalog.change.Operation
import ducklake.catalog.model.Column
import ducklake.catalog.model.ColumnId
import ducklake.catalog.model.LakeTable

/** A snapshot with tables as a statement has altered them and not yet committed. */
private[session] final class AlteredSnapshot(
    under: LakeSnapshot,
    shapes: Vector[Operation.AlterTable],
) extends ForwardingSnapshot(under) {

  override def table(schema: String, name: String): Option[LakeTable] =
    super.table(schema, name).map { table =>
      shapes.find(_.table.id == table.id).fold(table) { alter =>
        table.copy(columns = alter.definition.columns, tags = alter.definition.tags)
      }
    }

  override def nextColumnId(table: LakeTable): ColumnId = {
    val staged = shapes.filter(_.table.id == table.id).flatMap(_.definition.columns)
    ColumnId((super.nextColumnId(table).value +: idsOf(staged).map(_ + 1)).max)
  }

  private def idsOf(columns: Vector[Column]): Vector[Long] =
    columns.flatMap(column => column.id.value +: idsOf(column.children))
}
