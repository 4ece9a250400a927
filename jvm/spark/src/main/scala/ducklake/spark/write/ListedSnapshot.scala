package ducklake.spark.write

import ducklake.catalog.LakeSnapshot
import ducklake.catalog.model.Column
import ducklake.catalog.model.ColumnId
import ducklake.catalog.model.DataFile
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

/** A snapshot of which a search looks into some data files only. */
private[write] final class ListedSnapshot(under: LakeSnapshot, isWanted: DataFile => Boolean)
    extends LakeSnapshot {

  def snapshot: Snapshot = under.snapshot

  def schemas(): Vector[LakeSchema] = under.schemas()

  def schema(name: String): Option[LakeSchema] = under.schema(name)

  def relations(schema: LakeSchema): Vector[RelationName] = under.relations(schema)

  def table(schema: String, name: String): Option[LakeTable] = under.table(schema, name)

  def tableName(id: TableId): Option[String] = under.tableName(id)

  def view(schema: String, name: String): Option[LakeView] = under.view(schema, name)

  def views(): Vector[LakeView] = under.views()

  def macros(): Vector[LakeMacro] = under.macros()

  def files(table: LakeTable, request: FileRequest): FileListing = {
    val listing = under.files(table, request)
    listing.copy(files = listing.files.filter(isWanted))
  }

  def inlinedRows(table: LakeTable, columns: Vector[Column]): Vector[InlinedRow] =
    under.inlinedRows(table, columns)

  def nextColumnId(table: LakeTable): ColumnId = under.nextColumnId(table)

  def counts(table: LakeTable): TableCounts = under.counts(table)

  def tableInfo(): Vector[TableInfo] = under.tableInfo()
}
