package ducklake.catalog.change.operation

import ducklake.catalog.change.schema.TableDefinition
import ducklake.catalog.change.statistics.InlinedStatistics
import ducklake.catalog.change.statistics.KeptBounds
import ducklake.catalog.change.statistics.LeafColumns
import ducklake.catalog.change.statistics.StatsMerge
import ducklake.catalog.change.statistics.TableStatistics
import ducklake.catalog.model.ColumnStatistics
import ducklake.catalog.model.LakePath
import ducklake.catalog.model.LakeSchema
import ducklake.catalog.model.LakeTable
import ducklake.catalog.model.LakeView
import ducklake.catalog.model.MappedColumn
import ducklake.catalog.model.Snapshot
import ducklake.catalog.option.MoveOrigin
import ducklake.catalog.option.OptionChange
import ducklake.catalog.option.OptionScope
import ducklake.catalog.predicate.KeyRepair
import ducklake.catalog.predicate.Predicate
import ducklake.catalog.types.Column
import ducklake.catalog.types.ColumnId
import ducklake.catalog.types.DataFileId
import ducklake.catalog.types.MacroId
import ducklake.catalog.types.SchemaId
import ducklake.catalog.types.SnapshotId

import java.util.UUID

/** One change that a commit makes, described against the base snapshot.
  *
  * The operations of one commit are applied in order. Each existing table is altered at most once.
  */
sealed trait Operation extends OperationFacts

object Operation {

  /** Changes a schema, a view or a macro. */
  sealed trait OnSchema extends Operation with ChangesObjects {
    final override def existing: Option[LakeTable] = None
    final override def needs: Set[TableNeed] = Set.empty
    final override def changesShape: Boolean = true
    final override def changedName: Option[Vector[String]] = None
    final override def endedName: Option[Vector[String]] = None
  }

  /** Creates, changes or drops a table. */
  sealed trait Shaping extends Operation with ChangesObjects

  /** Replaces files or inlined rows by files with the same rows. What is replaced must be in the
    * newest snapshot.
    */
  sealed trait Replacement extends Operation with OnTable with KeepsContent

  /** Stores something about a table other than its rows and its definition. */
  sealed trait Bookkeeping extends Operation with OnTable with KeepsContent

  /** Changes nothing, but the commit may fail. */
  sealed trait Assertion extends Operation with KeepsContent

  /** Brings back a part of a past snapshot. */
  sealed trait Restoration extends Operation {

    /** The past snapshot, which must not have expired. */
    def at: SnapshotId
  }

  /** @param parent the schema around it; only in lakes of version 1.1
    * @param path relative to the data path, ending in a separator
    * @param alias the id by which later operations of the commit name it, if they do
    */
  final case class CreateSchema(
      parent: Option[LakeSchema],
      name: String,
      uuid: UUID,
      path: LakePath,
      tags: Map[String, String],
      alias: Option[SchemaId] = None,
  ) extends OnSchema

  /** Drops a schema that is empty, or whose content is dropped by earlier operations of the same
    * commit.
    */
  final case class DropSchema(schema: LakeSchema) extends OnSchema

  final case class SetSchemaTags(schema: LakeSchema, tags: Map[String, String]) extends OnSchema

  /** @param path relative to the schema's directory, ending in a separator
    * @param options lake options of the table's scope, as they are stored
    * @param lastColumn a column id that the columns may not have, and below which no later column
    *   gets its id: files of the table have columns that are dropped
    */
  final case class CreateTable(
      schema: LakeSchema,
      uuid: UUID,
      path: LakePath,
      definition: TableDefinition,
      options: Map[String, String],
      lastColumn: Option[ColumnId] = None,
  ) extends Shaping {
    override def existing: Option[LakeTable] = None
    override def needs: Set[TableNeed] = Set.empty
    override def changesShape: Boolean = true
    override def changedName: Option[Vector[String]] = Some(schema.path :+ definition.name)
    override def endedName: Option[Vector[String]] = None
    override def createsIn: Option[SchemaId] = Some(schema.id)
  }

  final case class DropTable(table: LakeTable) extends Shaping with OnTable {
    override def needs: Set[TableNeed] = Set.empty
    override def changesShape: Boolean = true
    override def changedName: Option[Vector[String]] = None
    override def endedName: Option[Vector[String]] = Some(table.path)
  }

  /** Gives a table a new definition: columns, tags, partition keys, sort order, name, schema.
    *
    * @param schema the schema it is in afterwards
    */
  final case class AlterTable(table: LakeTable, schema: LakeSchema, definition: TableDefinition)
      extends Shaping
      with OnTable {
    override def needs: Set[TableNeed] = Set(TableNeed.ColumnOrders, TableNeed.InlinedTables)
    override def changesShape: Boolean = definition != TableDefinition.of(table)
    override def changedName: Option[Vector[String]] =
      Option.when(definition.columns != table.columns)(table.path)
    override def endedName: Option[Vector[String]] =
      Option.when(definition.name != table.name || schema.id != table.schema.id)(table.path)
  }

  /** Changes lake options of one scope. It accompanies other operations; options alone make no
    * snapshot and are set without a commit.
    */
  final case class SetOptions(scope: OptionScope, options: Vector[OptionChange])
      extends Operation
      with KeepsContent {
    override def existing: Option[LakeTable] = None
    override def isCheckedByState: Boolean = true
  }

  /** Stores the number of the write as the last number of its writer. The operation follows the
    * operations with the rows of the write, and does nothing when they change nothing. The whole
    * commit does nothing when a table that it changes has this write already.
    */
  final case class RecordWrite(target: TableTarget, write: NumberedWrite)
      extends Operation
      with RecordsOnTarget

  /** Stores the source whose files the table has after this commit, if the commit changes it. */
  final case class RecordMove(target: TableTarget, origin: MoveOrigin)
      extends Operation
      with RecordsOnTarget

  /** @param columnComments comments on columns, by the view's names of the columns; only in lakes
    *   of version 1.1
    */
  final case class CreateView(
      schema: LakeSchema,
      name: String,
      uuid: UUID,
      dialect: String,
      sql: String,
      aliases: String,
      tags: Map[String, String],
      columnComments: Map[String, String],
  ) extends OnSchema

  final case class DropView(view: LakeView) extends OnSchema

  /** @param schema the schema it is in afterwards */
  final case class RenameView(view: LakeView, schema: LakeSchema, name: String) extends OnSchema

  final case class SetViewTags(view: LakeView, tags: Map[String, String]) extends OnSchema

  /** Creates a dropped schema again, under a new id and with its old directory. Later operations of
    * the same commit may name the old schema for it.
    *
    * @param at the past snapshot that has the schema
    */
  final case class RestoreSchema(past: LakeSchema, at: SnapshotId) extends OnSchema with Restoration

  /** Drops a macro. Macros are dropped only together with their schema. */
  final case class DropMacro(schema: SchemaId, id: MacroId, isTableMacro: Boolean) extends OnSchema

  final case class AppendFiles(target: TableTarget, files: Vector[NewDataFile])
      extends Operation
      with AddsRows {

    /** What the files add to the statistics of an existing table. */
    lazy val total: Option[TableStatistics] = target.existing.flatMap { table =>
      StatsMerge.total(files.iterator.map(_.rows), LeafColumns.of(table.columns))
    }

    override def needs: Set[TableNeed] = Set(TableNeed.Statistics)
    override def addedStatistics: Iterator[Map[ColumnId, ColumnStatistics]] =
      files.iterator.map(_.statistics)
    override def prepare(): Unit = total: Unit
  }

  /** Registers existing Parquet files as data files of a table.
    *
    * @param mappings the name mappings of the files, each once
    * @param dataPath the lake's data path, ending in a separator
    * @param checkedBelow the files are not among the lake's files with lower ids; the commit checks
    *   the other files
    */
  final case class RegisterFiles(
      table: LakeTable,
      mappings: Vector[Vector[MappedColumn]],
      files: Vector[RegisteredFile],
      dataPath: String,
      checkedBelow: Long,
  ) extends Operation
      with AddsRows {

    override val target: TableTarget = TableTarget.of(table)

    /** What the files add to the statistics of the table. */
    lazy val total: Option[TableStatistics] =
      StatsMerge.total(files.iterator.map(_.data.rows), LeafColumns.of(table.columns))

    override def needs: Set[TableNeed] = Set(TableNeed.Statistics, TableNeed.Mappings)
    override def addedStatistics: Iterator[Map[ColumnId, ColumnStatistics]] =
      files.iterator.map(_.statistics)
    override def prepare(): Unit = total: Unit
  }

  /** Appends inlined rows. `Dialect.inlinedValue` accepts each of the values. */
  final case class AppendInlined(target: TableTarget, rows: Vector[NewInlinedRow])
      extends Operation
      with AddsRows {
    override def needs: Set[TableNeed] = Set(TableNeed.Statistics, TableNeed.InlinedTables)
    override def addedStatistics: Iterator[Map[ColumnId, ColumnStatistics]] =
      existing.iterator.map(table => InlinedStatistics.of(table.columns, rows.map(_.values)))
    override def inlinedColumns: Option[Vector[Column]] = existing.map(_.columns)
  }

  /** Deletes rows that are live at the base. The commit fails when another commit has deleted or
    * changed one of these rows since.
    *
    * @param endedFiles data files whose rows are all deleted
    * @param deleteFiles new delete files for data files that keep some rows
    * @param inlinedDeletes positions in data files whose deletes are kept in the catalog; within a
    *   transaction all positions
    * @param endedInlined row ids of inlined rows
    * @param known the earlier deletes of these data files, on top of which the operation was
    *   planned. An absent file had none, except the delete files that its new delete file replaces
    */
  final case class DeleteRows(
      table: LakeTable,
      endedFiles: Vector[DataFileId],
      deleteFiles: Vector[NewDeleteFile],
      inlinedDeletes: Map[DataFileId, IndexedSeq[Long]],
      endedInlined: IndexedSeq[Long],
      known: Map[DataFileId, KnownDeletes] = Map.empty,
  ) extends Operation
      with DeletesRows
      with DeletedRows
      with OnTable {
    override def needs: Set[TableNeed] =
      Set.empty[TableNeed] ++ Option.when(endedInlined.nonEmpty)(TableNeed.InlinedTables) ++
        Option.when(inlinedDeletes.nonEmpty)(TableNeed.InlinedDeletes)
  }

  /** Moves the inlined rows and inlined deletes of a table into files, with their history.
    *
    * @param upTo the last snapshot of the history in the files; later rows and deletes stay in the
    *   catalog
    * @param rows the flushed inlined tables, each with the files that have its rows
    * @param deletes the delete files with the flushed inlined deletes of data files
    * @param deletesTable the metadata table from which these deletes are removed
    */
  final case class FlushInlined(
      table: LakeTable,
      upTo: SnapshotId,
      rows: Vector[FlushedRows],
      deletes: Vector[FlushedDeletes],
      deletesTable: Option[String],
  ) extends Replacement

  /** Replaces data files by fewer files with the same rows, row ids and snapshots.
    *
    * @param files the new files, each with the files whose rows it has
    */
  final case class MergeFiles(table: LakeTable, files: Vector[MergedFile]) extends Replacement {
    def sources: Vector[DataFileId] = files.flatMap(_.sources.map(_.id))

    /** The size of the new files minus the size of the old files, in bytes; mostly negative. */
    def growth: Long = files.map(one => one.file.sizeBytes - one.sources.map(_.sizeBytes).sum).sum
  }

  /** Replaces data files with deleted rows by files without these rows.
    *
    * @param files the new files, each with the files whose rows it has
    */
  final case class RewriteFiles(table: LakeTable, files: Vector[RewrittenFiles])
      extends Replacement {
    def sources: Vector[RewriteSource] = files.flatMap(_.sources)

    /** The size of the new files minus the size of the old files, in bytes; mostly negative. */
    def growth: Long = files.flatMap(_.file).map(_.sizeBytes).sum - sources.map(_.sizeBytes).sum
  }

  /** Recomputes the statistics of a table from its files and its inlined rows.
    *
    * @param kept the bounds of the table at a snapshot; the commit adds newer bounds
    */
  final case class RecomputeStatistics(table: LakeTable, kept: KeptBounds) extends Bookkeeping {
    override def recomputedFrom: Option[KeptBounds] = Some(kept)
  }

  /** Replaces wrong partition values of files, for all snapshots that have the files. */
  final case class RepairKeys(table: LakeTable, keys: Vector[KeyRepair]) extends Bookkeeping

  /** Deletes all rows of a table, in files and in the catalog. */
  final case class Truncate(table: LakeTable) extends Operation with DeletesRows with OnTable {
    override def needs: Set[TableNeed] = Set(TableNeed.InlinedTables, TableNeed.LiveRows)
  }

  /** Changes nothing, but the commit fails when rows within the scope were added to the table since
    * the base. It accompanies new rows that depend on the rows that the statement found: an
    * overwrite replaces the rows that it found, and MERGE inserts the rows for which it found no
    * match (decision 25).
    */
  final case class AssertNoNewRows(table: LakeTable, scope: RowScope) extends Assertion with OnTable

  /** Changes nothing, but the commit fails when another commit added, changed or deleted rows of
    * the table since the base. It accompanies rows that replace all rows of the table.
    */
  final case class AssertSameRows(table: LakeTable) extends Assertion with OnTable

  /** Changes nothing, but a commit that comes after other changes of rows is planned again: the
    * planner has looked at the rows of this snapshot only. New rows count, and deleted rows if
    * `alsoDeleted`. Within a transaction `at` is the base, and the commit of the transaction looks
    * for rows that the statement would have read.
    *
    * @param conditions of each read of the statement; a row that was read meets all predicates of
    *   one of them
    */
  final case class AssertRowsSeen(
      table: LakeTable,
      at: Snapshot,
      alsoDeleted: Boolean,
      conditions: Vector[Vector[Predicate]],
  ) extends Assertion
      with OnTable {

    /** The condition of the statement refers to the columns at the base. */
    override def requires: Option[Requirement] = Some(Requirement.Shape)
    override def isCheckedByState: Boolean = true
  }

  /** Gives a table its columns, partition spec, sort order and tags of a past snapshot. A dropped
    * table comes back with its id and without inlined rows: its old inlined rows end at the
    * snapshot of the drop.
    *
    * @param present the table at the base; None when it is dropped there
    * @param past the table as it will be: of the past snapshot, with the name and schema that it
    *   gets
    * @param at the past snapshot
    */
  final case class RestoreTable(present: Option[LakeTable], past: LakeTable, at: SnapshotId)
      extends Shaping
      with Restoration {
    val shape: RestoredShape = RestoredShape.between(present, past)

    override def existing: Option[LakeTable] = Some(past)
    override def needs: Set[TableNeed] =
      Set(TableNeed.Statistics, TableNeed.ColumnOrders, TableNeed.InlinedTables)
    override def changesShape: Boolean = shape.isChanged
    override def changedName: Option[Vector[String]] = Some(past.path)
    override def endedName: Option[Vector[String]] = present.map(_.path).filter(_ != past.path)
  }

  /** Adds copies of data files that the table had, with their row ids, partition values and
    * statistics.
    *
    * @param table the table with the columns that it has in this commit
    * @param at the past snapshot that has the files
    */
  final case class RestoreFiles(table: LakeTable, copies: Vector[CopiedDataFile], at: SnapshotId)
      extends Restoration
      with ChangesRows
      with OnTable {
    override def needs: Set[TableNeed] = Set(TableNeed.Statistics)
    override def requires: Option[Requirement] = None
    override def addedStatistics: Iterator[Map[ColumnId, ColumnStatistics]] =
      copies.iterator.map(_.rows.statistics)
  }

  /** The commit fails when another commit changed this part of the table since the base. */
  final case class AssertUnchanged(table: LakeTable, part: TablePart) extends Assertion with OnTable

  /** Changes nothing, but the commit fails when another commit changed anything since the base.
    * Compactions keep every row and do not count.
    */
  case object AssertLakeUnchanged extends Assertion {
    override def existing: Option[LakeTable] = None
  }
}
