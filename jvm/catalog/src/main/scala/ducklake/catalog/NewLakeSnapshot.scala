package ducklake.catalog

import ducklake.catalog.cache.ColumnSummary
import ducklake.catalog.change.conflict.TableEntries
import ducklake.catalog.change.statistics.KeptBounds
import ducklake.catalog.model.ColumnStatistics
import ducklake.catalog.model.DataFile
import ducklake.catalog.model.LakeMacro
import ducklake.catalog.model.LakePath
import ducklake.catalog.model.LakeSchema
import ducklake.catalog.model.LakeTable
import ducklake.catalog.model.LakeView
import ducklake.catalog.model.RelationName
import ducklake.catalog.model.Snapshot
import ducklake.catalog.model.TableShape
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
import ducklake.catalog.sql.Dialect
import ducklake.catalog.sql.FormatVersion
import ducklake.catalog.sql.InlinableTypes
import ducklake.catalog.types.Column
import ducklake.catalog.types.ColumnId
import ducklake.catalog.types.DataFileId
import ducklake.catalog.types.Names
import ducklake.catalog.types.SchemaId
import ducklake.catalog.types.SnapshotId
import ducklake.catalog.types.TableId

import java.time.Instant
import java.util.UUID

/** The first snapshot of a [[NewLake]]: the schema `main`, and nothing in it. */
private[catalog] final class NewLakeSnapshot(
    val version: FormatVersion,
    val isEncrypted: Boolean,
    dataPath: String,
    dialect: Dialect,
) extends LakeSnapshot {

  private val main = LakeSchema(
    SchemaId(0),
    new UUID(0, 0),
    None,
    Vector.empty,
    "main",
    LakePath("main/", isRelative = true).folderIn(dataPath),
    Map.empty,
  )

  def snapshot: Snapshot = NewLakeSnapshot.First

  def after(committed: Snapshot): LakeSnapshot =
    throw new IllegalStateException("a new lake is read from its database after the first commit")

  def schemas(): Vector[LakeSchema] = Vector(main)

  def schema(path: Vector[String]): Option[LakeSchema] = path match {
    case Vector(name) if Names.isSame(name, main.name) => Some(main)
    case _ => None
  }

  def relations(schema: LakeSchema): Vector[RelationName] = Vector.empty

  def table(schema: Vector[String], name: String): Option[LakeTable] = None

  def tableName(id: TableId): Option[String] = None

  def view(schema: Vector[String], name: String): Option[LakeView] = None

  def views(): Vector[LakeView] = Vector.empty

  def macros(): Vector[LakeMacro] = Vector.empty

  def mayInline(columns: Vector[Column]): Boolean =
    InlinableTypes.admitOurs(columns, dialect, version)

  def tableInfo(): Vector[TableInfo] = Vector.empty

  def files(table: LakeTable, request: FileRequest): FileListing = absent(table)

  def filesById(table: LakeTable, ids: Vector[DataFileId]): Vector[DataFile] = absent(table)

  def fileStatistics(
      table: LakeTable,
      columns: Set[ColumnId],
      files: Vector[DataFileId],
  ): Map[DataFileId, Map[ColumnId, ColumnStatistics]] = absent(table)

  def deleteFileCounts(table: LakeTable, files: Vector[DataFileId]): Map[DataFileId, Long] =
    absent(table)

  def hadRegisteredFiles(table: LakeTable): Boolean = absent(table)

  def changes(table: LakeTable, request: ChangeRequest): ChangeListing = absent(table)

  def isUntouched(table: LakeTable, since: Snapshot): Boolean = since == snapshot

  def entries(table: LakeTable, from: SnapshotId): Vector[TableEntries] = absent(table)

  def firstEntries(table: TableId, from: SnapshotId)(
      isWanted: TableEntries => Boolean
  ): Option[TableEntries] = None

  def filesOfSeveralSnapshots(table: LakeTable, files: Vector[DataFileId]): Set[DataFileId] =
    absent(table)

  def shapes(table: LakeTable): Vector[TableShape] = absent(table)

  def inlinedHistory(table: LakeTable): InlinedHistory = absent(table)

  def readVersions(
      table: LakeTable,
      kept: InlinedTableHistory,
      keys: Vector[Column],
      receiver: VersionReceiver,
  ): Unit = absent(table)

  def keptBounds(table: LakeTable): KeptBounds = absent(table)

  def recordedRows(): Vector[RecordedRows] = Vector.empty

  def nextColumnId(table: LakeTable): ColumnId = absent(table)

  def counts(table: LakeTable): TableCounts = absent(table)

  def columnSummaries(table: LakeTable, columns: Set[ColumnId]): Map[ColumnId, ColumnSummary] =
    absent(table)

  private def absent(table: LakeTable): Nothing =
    throw new IllegalStateException(s"a new lake has no table ${table.name}")
}

private[catalog] object NewLakeSnapshot {

  /** Not a snapshot of any lake: its time is in 1970. */
  val First: Snapshot =
    Snapshot(SnapshotId(0), Instant.EPOCH, schemaVersion = 0, nextCatalogId = 1, nextFileId = 0)
}
