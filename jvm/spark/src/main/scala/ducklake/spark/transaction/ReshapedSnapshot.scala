package ducklake.spark.transaction

import ducklake.catalog.LakeSnapshot
import ducklake.catalog.change.Operation
import ducklake.catalog.model.Column
import ducklake.catalog.model.ColumnId
import ducklake.catalog.model.LakeMacro
import ducklake.catalog.model.LakeSchema
import ducklake.catalog.model.LakeTable
import ducklake.catalog.model.LakeView
import ducklake.catalog.model.RelationName
import ducklake.catalog.model.Snapshot
import ducklake.catalog.model.TableId
import ducklake.catalog.read.FileListing
import ducklake.catalog.read.FileRequest
import ducklake.catalog.read.InlinedRow
import ducklake.catalog.read.TableCounts
import ducklake.catalog.read.TableInfo

/** A snapshot with tables as a statement has altered them and not yet committed. */
private[transaction] final class ReshapedSnapshot(
    under: LakeSnapshot,
    shapes: Vector[Operation.AlterTable],
) extends LakeSnapshot {

  def snapshot: Snapshot = under.snapshot

  def schemas(): Vector[LakeSchema] = under.schemas()

  def schema(name: String): Option[LakeSchema] = under.schema(name)

  def relations(schema: LakeSchema): Vector[RelationName] = under.relations(schema)

  def table(schema: String, name: String): Option[LakeTable] =
    under.table(schema, name).map { table =>
      shapes.find(_.table.id == table.id).fold(table) { alter =>
        table.copy(columns = alter.shape.columns, tags = alter.shape.tags)
      }
    }

  def tableName(id: TableId): Option[String] = under.tableName(id)

  def view(schema: String, name: String): Option[LakeView] = under.view(schema, name)

  def views(): Vector[LakeView] = under.views()

  def macros(): Vector[LakeMacro] = under.macros()

  def files(table: LakeTable, request: FileRequest): FileListing = under.files(table, request)

  def inlinedRows(table: LakeTable, columns: Vector[Column]): Vector[InlinedRow] =
    under.inlinedRows(table, columns)

  def nextColumnId(table: LakeTable): ColumnId = {
    val staged = shapes.filter(_.table.id == table.id).flatMap(_.shape.columns)
    ColumnId((under.nextColumnId(table).value +: idsOf(staged).map(_ + 1)).max)
  }

  private def idsOf(columns: Vector[Column]): Vector[Long] =
    columns.flatMap(column => column.id.value +: idsOf(column.children))

  def counts(table: LakeTable): TableCounts = under.counts(table)

  def tableInfo(): Vector[TableInfo] = under.tableInfo()
}
