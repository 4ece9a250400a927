package ducklake.catalog

import ducklake.catalog.cache.ColumnSummary
import ducklake.catalog.change.conflict.TableEntries
import ducklake.catalog.change.statistics.KeptBounds
import ducklake.catalog.model.ColumnStatistics
import ducklake.catalog.model.DataFile
import ducklake.catalog.model.LakeMacro
import ducklake.catalog.model.LakeSchema
import ducklake.catalog.model.LakeTable
import ducklake.catalog.model.LakeView
import ducklake.catalog.model.RelationName
import ducklake.catalog.model.Snapshot
import ducklake.catalog.model.TableShape
import ducklake.catalog.read.Readers
import ducklake.catalog.read.feed.ChangeListing
import ducklake.catalog.read.feed.ChangeRequest
import ducklake.catalog.read.file.FileListing
import ducklake.catalog.read.file.FileRequest
import ducklake.catalog.read.file.RecordedRows
import ducklake.catalog.read.file.TableCounts
import ducklake.catalog.read.file.TableInfo
import ducklake.catalog.read.flush.InlinedHistory
import ducklake.catalog.read.flush.InlinedTableHistory
import ducklake.catalog.read.flush.VersionReceiver
import ducklake.catalog.read.snapshot.CatalogHead
import ducklake.catalog.sql.Dialect
import ducklake.catalog.sql.FormatVersion
import ducklake.catalog.sql.InlinableTypes
import ducklake.catalog.types.Column
import ducklake.catalog.types.ColumnId
import ducklake.catalog.types.DataFileId
import ducklake.catalog.types.SnapshotId
import ducklake.catalog.types.TableId

/** A snapshot of a [[DatabaseLake]]. Delegates to the readers.
  *
  * @param version the version of the catalog after the next change of the lake
  */
private[catalog] final class DatabaseSnapshot(
    head: CatalogHead,
    val version: FormatVersion,
    readers: Readers,
    dialect: Dialect,
) extends LakeSnapshot {

  def snapshot: Snapshot = head.snapshot

  def after(committed: Snapshot): LakeSnapshot =
    new DatabaseSnapshot(head.copy(snapshot = committed), version, readers, dialect)

  def schemas(): Vector[LakeSchema] = readers.schemas.schemas(head)

  def isEncrypted: Boolean = head.isEncrypted

  def schema(path: Vector[String]): Option[LakeSchema] = readers.schemas.schema(head, path)

  def relations(schema: LakeSchema): Vector[RelationName] = readers.schemas.relations(head, schema)

  def table(schema: Vector[String], name: String): Option[LakeTable] =
    this.schema(schema).flatMap(readers.schemas.table(head, _, name))

  def tableName(id: TableId): Option[String] = readers.schemas.tableName(head, id)

  def view(schema: Vector[String], name: String): Option[LakeView] =
    this.schema(schema).flatMap(readers.schemas.view(head, _, name))

  def views(): Vector[LakeView] = readers.schemas.views(head)

  def macros(): Vector[LakeMacro] = readers.schemas.macros(head)

  def files(table: LakeTable, request: FileRequest): FileListing =
    readers.files.files(head, table, request)

  def filesById(table: LakeTable, ids: Vector[DataFileId]): Vector[DataFile] =
    readers.files.filesById(head, table, ids)

  def fileStatistics(
      table: LakeTable,
      columns: Set[ColumnId],
      files: Vector[DataFileId],
  ): Map[DataFileId, Map[ColumnId, ColumnStatistics]] =
    readers.files.fileStatistics(head, table, columns, files)

  def deleteFileCounts(table: LakeTable, files: Vector[DataFileId]): Map[DataFileId, Long] =
    readers.files.deleteFileCounts(head, table, files)

  def hadRegisteredFiles(table: LakeTable): Boolean =
    readers.files.hadRegisteredFiles(head, table)

  def changes(table: LakeTable, request: ChangeRequest): ChangeListing =
    readers.changes.changes(head, table, request)

  def entries(table: LakeTable, from: SnapshotId): Vector[TableEntries] =
    readers.entries.entries(head, table, from)

  def isUntouched(table: LakeTable, since: Snapshot): Boolean =
    readers.entries.isUntouched(head, table, since)

  def firstEntries(table: TableId, from: SnapshotId)(
      isWanted: TableEntries => Boolean
  ): Option[TableEntries] = readers.entries.first(head, table, from)(isWanted)

  def filesOfSeveralSnapshots(table: LakeTable, files: Vector[DataFileId]): Set[DataFileId] =
    readers.files.filesOfSeveralSnapshots(head, table, files)

  def shapes(table: LakeTable): Vector[TableShape] = readers.shapes.shapes(head, table)

  def inlinedHistory(table: LakeTable): InlinedHistory = readers.flush.history(head, table)

  def readVersions(
      table: LakeTable,
      kept: InlinedTableHistory,
      keys: Vector[Column],
      receiver: VersionReceiver,
  ): Unit = readers.flush.versions(head, table, kept, keys, receiver)

  def mayInline(columns: Vector[Column]): Boolean =
    InlinableTypes.admitOurs(columns, dialect, version)

  def keptBounds(table: LakeTable): KeptBounds = readers.kept.bounds(head, table)

  def recordedRows(): Vector[RecordedRows] = readers.kept.recordedRows(head)

  def nextColumnId(table: LakeTable): ColumnId = readers.schemas.nextColumnId(head, table.id)

  def counts(table: LakeTable): TableCounts = readers.counts.counts(head, table)

  def columnSummaries(table: LakeTable, columns: Set[ColumnId]): Map[ColumnId, ColumnSummary] =
    readers.files.columnSummaries(head, table, columns)

  def tableInfo(): Vector[TableInfo] = readers.counts.tableInfo(head)
}
