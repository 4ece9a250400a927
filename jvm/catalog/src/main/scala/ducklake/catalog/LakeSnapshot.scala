package ducklake.catalog

import ducklake.catalog.change.conflict.TableEntries
import ducklake.catalog.change.statistics.KeptBounds
import ducklake.catalog.listing.AddedRows
import ducklake.catalog.listing.ChangeListing
import ducklake.catalog.listing.ChangeRequest
import ducklake.catalog.listing.ColumnSummary
import ducklake.catalog.listing.FileListing
import ducklake.catalog.listing.FileRequest
import ducklake.catalog.listing.InlinedHistory
import ducklake.catalog.listing.InlinedTableHistory
import ducklake.catalog.listing.RowVersionReceiver
import ducklake.catalog.listing.TableCounts
import ducklake.catalog.listing.TableInfo
import ducklake.catalog.model.ColumnStatistics
import ducklake.catalog.model.DataFile
import ducklake.catalog.model.LakeMacro
import ducklake.catalog.model.LakePath
import ducklake.catalog.model.LakeSchema
import ducklake.catalog.model.LakeTable
import ducklake.catalog.model.LakeView
import ducklake.catalog.model.RelationName
import ducklake.catalog.model.RowPlace
import ducklake.catalog.model.Snapshot
import ducklake.catalog.model.TableShape
import ducklake.catalog.model.UncommittedIds
import ducklake.catalog.read.Readers
import ducklake.catalog.read.file.RecordedRows
import ducklake.catalog.read.snapshot.CatalogHead
import ducklake.catalog.sql.Dialect
import ducklake.catalog.sql.FormatVersion
import ducklake.catalog.sql.InlinableTypes
import ducklake.catalog.staged.Uncommitted
import ducklake.catalog.types.Column
import ducklake.catalog.types.ColumnId
import ducklake.catalog.types.DataFileId
import ducklake.catalog.types.SchemaId
import ducklake.catalog.types.SnapshotId
import ducklake.catalog.types.TableId

import java.time.Instant
import java.util.UUID

/** A lake at one snapshot. A name is first matched exactly, then without regard to case. Delegates
  * to the readers.
  *
  * @param version the version that the lake's catalog has when a commit changes it: its own
  *   version, or the target of the migration with which the commit begins
  * @param overlays the last one first
  */
final class LakeSnapshot private (
    val version: FormatVersion,
    dialect: Dialect,
    source: LakeSnapshot.Source,
    overlays: List[SnapshotOverlay],
) {
  import LakeSnapshot.*

  def snapshot: Snapshot = ask(First)((head, _) => head.snapshot)

  /** The lake as a commit on this snapshot has left it, without overlays. Nothing is read, so the
    * new snapshot may have expired since.
    *
    * @param committed the snapshot of the commit
    */
  def after(committed: Snapshot): LakeSnapshot = source match {
    case OfCatalog(head, readers) =>
      of(head.copy(snapshot = committed), version, readers, dialect)
    case OfNewLake(_, _) =>
      val why = "a new lake is read from its database after the first commit"
      throw new IllegalStateException(why)
  }

  /** This snapshot with the overlay's changes on top: what a statement sees that has uncommitted
    * changes, or looks at some files only.
    */
  def seenThrough(overlay: SnapshotOverlay): LakeSnapshot =
    new LakeSnapshot(version, dialect, source, overlay :: overlays)

  /** The transaction whose changes this snapshot shows besides its own rows. */
  def uncommitted: Option[Uncommitted] = overlays.flatMap(_.uncommitted).headOption

  /** The same, when the transaction changed rows of the table. */
  def uncommitted(table: TableId): Option[Uncommitted] =
    overlays.flatMap(_.uncommitted(table)).headOption

  /** Whether the files of the lake are encrypted. */
  def isEncrypted: Boolean = source match {
    case OfCatalog(head, _) => head.isEncrypted
    case OfNewLake(_, isEncrypted) => isEncrypted
  }

  /** All schemas, nested schemas included. */
  def schemas(): Vector[LakeSchema] =
    through(source match {
      case OfCatalog(head, readers) => readers.schemas.schemas(head)
      case OfNewLake(main, _) => Vector(main)
    })((overlay, found) => overlay.schemas(found()))

  /** The schema to which the names lead, outermost first. */
  def schema(path: Vector[String]): Option[LakeSchema] = LakeSchema.find(schemas(), path)

  /** A schema at the top level. */
  def schema(name: String): Option[LakeSchema] = schema(Vector(name))

  /** Tables and views of a schema, ordered by name. */
  def relations(schema: LakeSchema): Vector[RelationName] =
    through(
      ask(Vector.empty[RelationName])((head, readers) => readers.schemas.relations(head, schema))
    )((overlay, found) => overlay.relations(schema)(found()))

  /** @param schema the names that lead to its schema */
  def table(schema: Vector[String], name: String): Option[LakeTable] =
    this.schema(schema).flatMap { holder =>
      through(
        ask(Option.empty[LakeTable])((head, readers) => readers.schemas.table(head, holder, name))
      )((overlay, found) => overlay.table(holder, name)(found()))
    }

  /** A table of a schema at the top level. */
  def table(schema: String, name: String): Option[LakeTable] = table(Vector(schema), name)

  /** A live table, whatever name it has at this snapshot. */
  def table(id: TableId): Option[LakeTable] =
    through(
      ask(Option.empty[LakeTable])((head, readers) => readers.schemas.table(head, id))
    )((overlay, found) => overlay.table(id)(found()))

  /** `schema.table` of a live table. */
  def tableName(id: TableId): Option[String] =
    if (overlays.isEmpty)
      ask(Option.empty[String])((head, readers) => readers.schemas.tableName(head, id))
    else table(id).map(_.qualifiedName)

  /** @param schema the names that lead to its schema */
  def view(schema: Vector[String], name: String): Option[LakeView] =
    this.schema(schema).flatMap { holder =>
      through(
        ask(Option.empty[LakeView])((head, readers) => readers.schemas.view(head, holder, name))
      )((overlay, found) => overlay.view(holder, name)(found()))
    }

  /** A view of a schema at the top level. */
  def view(schema: String, name: String): Option[LakeView] = view(Vector(schema), name)

  def views(): Vector[LakeView] =
    through(
      ask(Vector.empty[LakeView])((head, readers) => readers.schemas.views(head))
    )((overlay, found) => overlay.views(found()))

  def macros(): Vector[LakeMacro] =
    ask(Vector.empty[LakeMacro])((head, readers) => readers.schemas.macros(head))

  /** The files that may hold matching rows, in one consistent read. */
  def files(table: LakeTable, request: FileRequest): FileListing = {
    def listed(left: List[SnapshotOverlay])(asked: FileRequest): FileListing = left match {
      case Nil => askOf(table)((head, readers) => readers.files.files(head, table, asked))
      case last :: before => last.files(table, asked)(listed(before))
    }
    listed(overlays)(request)
  }

  /** The first rows of the table after a place, without those of a transaction.
    *
    * @param count of files, and of snapshots with inlined rows
    */
  def added(table: LakeTable, from: RowPlace, count: Int): AddedRows =
    askOf(table)((head, readers) => readers.files.added(head, table, from, count))

  /** The files with these ids that the table still has. A compaction may have replaced some of
    * them.
    */
  def filesById(table: LakeTable, ids: Vector[DataFileId]): Vector[DataFile] = {
    def found(left: List[SnapshotOverlay])(asked: Vector[DataFileId]): Vector[DataFile] =
      left match {
        case Nil => askOf(table)((head, readers) => readers.files.filesById(head, table, asked))
        case last :: before => last.filesById(table, asked)(found(before))
      }
    found(overlays)(ids)
  }

  /** The statistics of columns in these files; absent where the catalog has no row. */
  def fileStatistics(
      table: LakeTable,
      columns: Set[ColumnId],
      files: Vector[DataFileId],
  ): Map[DataFileId, Map[ColumnId, ColumnStatistics]] =
    askOf(table)((head, readers) => readers.files.fileStatistics(head, table, columns, files))

  /** How many delete files each of these data files has had. Data files without delete files are
    * left out.
    */
  def deleteFileCounts(table: LakeTable, files: Vector[DataFileId]): Map[DataFileId, Long] =
    askOf(table)((head, readers) => readers.files.deleteFileCounts(head, table, files))

  /** Whether files were ever registered for the table. Then the partition values of its files may
    * come from wrong folders, except for identity keys: DuckDB believes the folder `year=2020` of a
    * file with rows of 2021.
    */
  def hadRegisteredFiles(table: LakeTable): Boolean =
    through(
      !isOwn(table) &&
        askOf(table)((head, readers) => readers.files.hadRegisteredFiles(head, table))
    )((overlay, found) => overlay.hadRegisteredFiles(table)(found()))

  /** What the snapshots from the requested snapshot to this snapshot did to the rows of the table,
    * in one consistent read. The table need not exist at this snapshot. Errors: ChangesExpired.
    */
  def changes(table: LakeTable, request: ChangeRequest): ChangeListing =
    askOf(table)((head, readers) => readers.changes.changes(head, table, request))

  /** The `changes_made` entries about the table, from snapshot `from` to this snapshot, ordered by
    * snapshot. Snapshots without such an entry are left out.
    */
  def entries(table: LakeTable, from: SnapshotId): Vector[TableEntries] =
    if (isOwn(table)) Vector.empty
    else askOf(table)((head, readers) => readers.entries.entries(head, table, from))

  /** Whether no snapshot after the earlier one, up to this one, did anything to the table. False
    * when one of them has expired or belongs to another lake at this address.
    */
  def isUntouched(table: LakeTable, since: Snapshot): Boolean =
    ask(since == First)((head, readers) => readers.entries.isUntouched(head, table, since))

  /** The entries of the first snapshot from `from` to this snapshot whose entries of the table
    * satisfy the condition. Later snapshots are not read.
    */
  def firstEntries(table: TableId, from: SnapshotId)(
      isWanted: TableEntries => Boolean
  ): Option[TableEntries] = ask(Option.empty[TableEntries]) { (head, readers) =>
    readers.entries.first(head, table, from)(isWanted)
  }

  /** Which of these data files embed the snapshot of each row. Files that were replaced or ended
    * since are included.
    */
  def filesOfSeveralSnapshots(table: LakeTable, files: Vector[DataFileId]): Set[DataFileId] =
    askOf(table)((head, readers) => readers.files.filesOfSeveralSnapshots(head, table, files))

  /** The columns that the table had up to this snapshot, oldest first; at least one shape. Expired
    * snapshots count too.
    */
  def shapes(table: LakeTable): Vector[TableShape] =
    askOf(table)((head, readers) => readers.shapes.shapes(head, table))

  /** The rows and deletes that the table keeps in the catalog, with their history. */
  def inlinedHistory(table: LakeTable): InlinedHistory =
    askOf(table)((head, readers) => readers.flush.history(head, table))

  /** Gives all row versions of an inlined table to the receiver, ordered by row id and begin
    * snapshot. Each has the values of the columns `keys` too; these are columns of the table at
    * this snapshot.
    */
  def readVersions(
      table: LakeTable,
      kept: InlinedTableHistory,
      keys: Vector[Column],
      receiver: RowVersionReceiver,
  ): Unit =
    askOf(table)((head, readers) => readers.flush.versions(head, table, kept, keys, receiver))

  /** Whether rows of a table with these columns may be kept in the catalog. */
  def mayInline(columns: Vector[Column]): Boolean =
    InlinableTypes.admitOurs(columns, dialect, version)

  /** The bounds of all rows of the table in the catalog, rows of past snapshots included. Reads the
    * statistics of all its files, and its inlined rows.
    */
  def keptBounds(table: LakeTable): KeptBounds =
    askOf(table)((head, readers) => readers.kept.bounds(head, table))

  /** Compares the statistics of each table that ever had rows with its files. */
  def recordedRows(): Vector[RecordedRows] =
    ask(Vector.empty[RecordedRows])((head, readers) => readers.kept.recordedRows(head))

  /** One more than any column id that the table ever had. */
  def nextColumnId(table: LakeTable): ColumnId =
    through(askOf(table)((head, readers) => readers.schemas.nextColumnId(head, table.id))) {
      (overlay, next) => overlay.nextColumnId(table)(next())
    }

  def counts(table: LakeTable): TableCounts =
    through(askOf(table)((head, readers) => readers.counts.counts(head, table))) {
      (overlay, found) => overlay.counts(table)(found())
    }

  /** The statistics of leaf columns over all data files. Deletes and inlined rows are not taken
    * into account.
    */
  def columnSummaries(table: LakeTable, columns: Set[ColumnId]): Map[ColumnId, ColumnSummary] =
    through(askOf(table)((head, readers) => readers.files.columnSummaries(head, table, columns))) {
      (overlay, found) => overlay.columnSummaries(table)(found())
    }

  def tableInfo(): Vector[TableInfo] =
    ask(Vector.empty[TableInfo])((head, readers) => readers.counts.tableInfo(head))

  /** What the overlays make of an answer of the catalog, which is asked only when it is needed. */
  private def through[A](catalog: => A)(step: (SnapshotOverlay, () => A) => A): A = {
    def below(left: List[SnapshotOverlay]): A = left match {
      case Nil => catalog
      case last :: before => step(last, () => below(before))
    }
    below(overlays)
  }

  /** Whether a transaction has made the table, so that the catalog knows nothing of it. */
  private def isOwn(table: LakeTable): Boolean = UncommittedIds.contains(table.id.value)

  private def ask[A](ofNewLake: => A)(question: (CatalogHead, Readers) => A): A = source match {
    case OfCatalog(head, readers) => question(head, readers)
    case OfNewLake(_, _) => ofNewLake
  }

  private def askOf[A](table: LakeTable)(question: (CatalogHead, Readers) => A): A =
    ask[A](throw new IllegalStateException(s"a new lake has no table ${table.name}"))(question)
}

object LakeSnapshot {

  /** Where the answers come from. */
  private sealed trait Source

  private final case class OfCatalog(head: CatalogHead, readers: Readers) extends Source

  /** The first snapshot of a [[NewLake]]: the schema `main`, and nothing in it. */
  private final case class OfNewLake(main: LakeSchema, isEncrypted: Boolean) extends Source

  /** The first snapshot of a [[NewLake]]. Not a snapshot of any lake: its time is in 1970. */
  private[catalog] val First: Snapshot =
    Snapshot(SnapshotId(0), Instant.EPOCH, schemaVersion = 0, nextCatalogId = 1, nextFileId = 0)

  /** A snapshot in a catalog. */
  private[catalog] def of(
      head: CatalogHead,
      version: FormatVersion,
      readers: Readers,
      dialect: Dialect,
  ): LakeSnapshot = new LakeSnapshot(version, dialect, OfCatalog(head, readers), Nil)

  /** The first snapshot of a lake that is not there yet. */
  private[catalog] def ofNewLake(
      version: FormatVersion,
      isEncrypted: Boolean,
      dataPath: String,
      dialect: Dialect,
  ): LakeSnapshot = {
    val folder = LakePath("main/", isRelative = true).folderIn(dataPath)
    val main =
      LakeSchema(SchemaId(0), new UUID(0, 0), None, Vector.empty, "main", folder, Map.empty)
    new LakeSnapshot(version, dialect, OfNewLake(main, isEncrypted), Nil)
  }
}
