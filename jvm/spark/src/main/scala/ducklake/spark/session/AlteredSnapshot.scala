package ducklake.spark.session

import ducklake.catalog.ForwardingSnapshot
import ducklake.catalog.LakeSnapshot
import ducklake.catalog.change.operation.Operation
import ducklake.catalog.model.LakeTable
import ducklake.catalog.types.Column
import ducklake.catalog.types.ColumnId

/** A snapshot with the table changes that a statement has made and not yet committed. */
private[session] final class AlteredSnapshot(
    base: LakeSnapshot,
    changes: Vector[Operation.AlterTable],
) extends ForwardingSnapshot(base) {

  override def table(schema: Vector[String], name: String): Option[LakeTable] =
    super.table(schema, name).map { table =>
      changes.find(_.table.id == table.id).fold(table) { alter =>
        table.copy(columns = alter.definition.columns, tags = alter.definition.tags)
      }
    }

  override def nextColumnId(table: LakeTable): ColumnId = {
    val columns = changes.filter(_.table.id == table.id).flatMap(_.definition.columns)
    ColumnId((super.nextColumnId(table).value +: idsOf(columns).map(_ + 1)).max)
  }

  private def idsOf(columns: Vector[Column]): Vector[Long] =
    columns.flatMap(column => column.id.value +: idsOf(column.children))
}
