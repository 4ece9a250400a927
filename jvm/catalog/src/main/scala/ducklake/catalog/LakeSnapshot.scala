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
import ducklake.catalog.sql.FormatVersion
import ducklake.catalog.types.Column
import ducklake.catalog.types.ColumnId
import ducklake.catalog.types.DataFileId
import ducklake.catalog.types.SnapshotId
import ducklake.catalog.types.TableId

/** A lake at one snapshot. A name is first matched exactly, then without regard to case. */
trait LakeSnapshot {
  def snapshot: Snapshot

  /** The lake as a commit on this snapshot has left it. Nothing is read, so the new snapshot may
    * have expired since.
    *
    * @param committed the snapshot of the commit
    */
  def after(committed: Snapshot): LakeSnapshot

  /** The version that the lake's catalog has when a commit changes it: its own version, or the
    * target of the migration with which the commit begins.
    */
  def version: FormatVersion

  /** Whether the files of the lake are encrypted. */
  def isEncrypted: Boolean

  /** All schemas, nested schemas included. */
  def schemas(): Vector[LakeSchema]

  /** The schema to which the names lead, outermost first. */
  def schema(path: Vector[String]): Option[LakeSchema]

  /** A schema at the top level. */
  final def schema(name: String): Option[LakeSchema] = schema(Vector(name))

  /** Tables and views of a schema, ordered by name. */
  def relations(schema: LakeSchema): Vector[RelationName]

  /** @param schema the names that lead to its schema */
  def table(schema: Vector[String], name: String): Option[LakeTable]

  /** A table of a schema at the top level. */
  final def table(schema: String, name: String): Option[LakeTable] = table(Vector(schema), name)

  /** `schema.table` of a live table. */
  def tableName(id: TableId): Option[String]

  /** @param schema the names that lead to its schema */
  def view(schema: Vector[String], name: String): Option[LakeView]

  /** A view of a schema at the top level. */
  final def view(schema: String, name: String): Option[LakeView] = view(Vector(schema), name)

  def views(): Vector[LakeView]

  def macros(): Vector[LakeMacro]

  /** The files that may hold matching rows, in one consistent read. */
  def files(table: LakeTable, request: FileRequest): FileListing

  /** The files with these ids that the table still has. A compaction may have replaced some of
    * them.
    */
  def filesById(table: LakeTable, ids: Vector[DataFileId]): Vector[DataFile]

  /** The statistics of columns in these files; absent where the catalog has no row. */
  def fileStatistics(
      table: LakeTable,
      columns: Set[ColumnId],
      files: Vector[DataFileId],
  ): Map[DataFileId, Map[ColumnId, ColumnStatistics]]

  /** How many delete files each of these data files has had. Data files without delete files are
    * left out.
    */
  def deleteFileCounts(table: LakeTable, files: Vector[DataFileId]): Map[DataFileId, Long]

  /** Whether files were ever registered for the table. Then the partition values of its files may
    * come from wrong folders, except for identity keys: DuckDB believes the folder `year=2020` of a
    * file with rows of 2021.
    */
  def hadRegisteredFiles(table: LakeTable): Boolean

  /** What the snapshots from the requested snapshot to this snapshot did to the rows of the table,
    * in one consistent read. The table need not exist at this snapshot. Errors: ChangesExpired.
    */
  def changes(table: LakeTable, request: ChangeRequest): ChangeListing

  /** The `changes_made` entries about the table, from snapshot `from` to this snapshot, ordered by
    * snapshot. Snapshots without such an entry are left out.
    */
  def entries(table: LakeTable, from: SnapshotId): Vector[TableEntries]

  /** Whether no snapshot after the earlier one, up to this one, did anything to the table. False
    * when one of them has expired or belongs to another lake at this address.
    */
  def isUntouched(table: LakeTable, since: Snapshot): Boolean

  /** The entries of the first snapshot from `from` to this snapshot whose entries of the table
    * satisfy the condition. Later snapshots are not read.
    */
  def firstEntries(table: TableId, from: SnapshotId)(
      isWanted: TableEntries => Boolean
  ): Option[TableEntries]

  /** Which of these data files embed the snapshot of each row. Files that were replaced or ended
    * since are included.
    */
  def filesOfSeveralSnapshots(table: LakeTable, files: Vector[DataFileId]): Set[DataFileId]

  /** The columns that the table had up to this snapshot, oldest first; at least one shape. Expired
    * snapshots count too.
    */
  def shapes(table: LakeTable): Vector[TableShape]

  /** The rows and deletes that the table keeps in the catalog, with their history. */
  def inlinedHistory(table: LakeTable): InlinedHistory

  /** Gives all row versions of an inlined table to the receiver, ordered by row id and begin
    * snapshot. Each has the values of the columns `keys` too; these are columns of the table at
    * this snapshot.
    */
  def readVersions(
      table: LakeTable,
      kept: InlinedTableHistory,
      keys: Vector[Column],
      receiver: VersionReceiver,
  ): Unit

  /** Whether rows of a table with these columns may be kept in the catalog. */
  def mayInline(columns: Vector[Column]): Boolean

  /** The bounds of all rows of the table in the catalog, rows of past snapshots included. Reads the
    * statistics of all its files, and its inlined rows.
    */
  def keptBounds(table: LakeTable): KeptBounds

  /** Compares the statistics of each table that ever had rows with its files. */
  def recordedRows(): Vector[RecordedRows]

  /** One more than any column id that the table ever had. */
  def nextColumnId(table: LakeTable): ColumnId

  def counts(table: LakeTable): TableCounts

  /** The statistics of leaf columns over all data files. Deletes and inlined rows are not taken
    * into account.
    */
  def columnSummaries(table: LakeTable, columns: Set[ColumnId]): Map[ColumnId, ColumnSummary]

  def tableInfo(): Vector[TableInfo]
}

/** A snapshot that forwards every call to another snapshot. Subclasses override some of the calls.
  */
abstract class ForwardingSnapshot(under: LakeSnapshot) extends LakeSnapshot {
  def snapshot: Snapshot = under.snapshot
  def after(committed: Snapshot): LakeSnapshot = under.after(committed)
  def schemas(): Vector[LakeSchema] = under.schemas()
  def version: FormatVersion = under.version
  def isEncrypted: Boolean = under.isEncrypted
  def schema(path: Vector[String]): Option[LakeSchema] = under.schema(path)
  def relations(schema: LakeSchema): Vector[RelationName] = under.relations(schema)
  def table(schema: Vector[String], name: String): Option[LakeTable] = under.table(schema, name)
  def tableName(id: TableId): Option[String] = under.tableName(id)
  def view(schema: Vector[String], name: String): Option[LakeView] = under.view(schema, name)
  def views(): Vector[LakeView] = under.views()
  def macros(): Vector[LakeMacro] = under.macros()
  def files(table: LakeTable, request: FileRequest): FileListing = under.files(table, request)
  def filesById(table: LakeTable, ids: Vector[DataFileId]): Vector[DataFile] =
    under.filesById(table, ids)
  def fileStatistics(
      table: LakeTable,
      columns: Set[ColumnId],
      files: Vector[DataFileId],
  ): Map[DataFileId, Map[ColumnId, ColumnStatistics]] = under.fileStatistics(table, columns, files)
  def deleteFileCounts(table: LakeTable, files: Vector[DataFileId]): Map[DataFileId, Long] =
    under.deleteFileCounts(table, files)
  def hadRegisteredFiles(table: LakeTable): Boolean = under.hadRegisteredFiles(table)
  def changes(table: LakeTable, request: ChangeRequest): ChangeListing =
    under.changes(table, request)
  def entries(table: LakeTable, from: SnapshotId): Vector[TableEntries] =
    under.entries(table, from)
  def isUntouched(table: LakeTable, since: Snapshot): Boolean = under.isUntouched(table, since)
  def firstEntries(table: TableId, from: SnapshotId)(
      isWanted: TableEntries => Boolean
  ): Option[TableEntries] = under.firstEntries(table, from)(isWanted)
  def filesOfSeveralSnapshots(table: LakeTable, files: Vector[DataFileId]): Set[DataFileId] =
    under.filesOfSeveralSnapshots(table, files)
  def shapes(table: LakeTable): Vector[TableShape] = under.shapes(table)
  def inlinedHistory(table: LakeTable): InlinedHistory = under.inlinedHistory(table)
  def readVersions(
      table: LakeTable,
      kept: InlinedTableHistory,
      keys: Vector[Column],
      receiver: VersionReceiver,
  ): Unit = under.readVersions(table, kept, keys, receiver)
  def keptBounds(table: LakeTable): KeptBounds = under.keptBounds(table)
  def recordedRows(): Vector[RecordedRows] = under.recordedRows()
  def mayInline(columns: Vector[Column]): Boolean = under.mayInline(columns)
  def nextColumnId(table: LakeTable): ColumnId = under.nextColumnId(table)
  def counts(table: LakeTable): TableCounts = under.counts(table)
  def columnSummaries(table: LakeTable, columns: Set[ColumnId]): Map[ColumnId, ColumnSummary] =
    under.columnSummaries(table, columns)
  def tableInfo(): Vector[TableInfo] = under.tableInfo()
}
