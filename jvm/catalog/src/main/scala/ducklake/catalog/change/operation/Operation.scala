package ducklake.catalog.change.operation

import ducklake.catalog.change.schema.TableDefinition
import ducklake.catalog.change.statistics.AddedRows
import ducklake.catalog.change.statistics.KeptBounds
import ducklake.catalog.change.statistics.LeafColumns
import ducklake.catalog.change.statistics.StatsMerge
import ducklake.catalog.change.statistics.TableStatistics
import ducklake.catalog.model.LakePath
import ducklake.catalog.model.LakeSchema
import ducklake.catalog.model.LakeTable
import ducklake.catalog.model.LakeView
import ducklake.catalog.model.MappedColumn
import ducklake.catalog.model.Snapshot
import ducklake.catalog.option.OptionChange
import ducklake.catalog.types.DataFileId
import ducklake.catalog.types.DeleteFileId
import ducklake.catalog.types.MacroId
import ducklake.catalog.types.PartitionId
import ducklake.catalog.types.SchemaId
import ducklake.catalog.types.SnapshotId

import java.util.UUID

/** One change that a commit makes, described against the base snapshot.
  *
  * The operations of one commit are applied in order. Each existing table is altered at most once.
  */
sealed trait Operation

object Operation {

  /** @param parent the schema around it; only in lakes of version 1.1
    * @param path relative to the data path, ending in a separator
    */
  final case class CreateSchema(
      parent: Option[LakeSchema],
      name: String,
      uuid: UUID,
      path: LakePath,
      tags: Map[String, String],
  ) extends Operation

  /** Drops a schema that is empty, or whose content is dropped by earlier operations of the same
    * commit.
    */
  final case class DropSchema(schema: LakeSchema) extends Operation

  final case class SetSchemaTags(schema: LakeSchema, tags: Map[String, String]) extends Operation

  /** @param path relative to the schema's directory, ending in a separator
    * @param options lake options of the table's scope, as they are stored
    */
  final case class CreateTable(
      schema: LakeSchema,
      uuid: UUID,
      path: LakePath,
      definition: TableDefinition,
      options: Map[String, String],
  ) extends Operation

  final case class DropTable(table: LakeTable) extends Operation

  /** Gives a table a new definition: columns, tags, partition keys, sort order, name, schema.
    *
    * @param schema the schema it is in afterwards
    */
  final case class AlterTable(table: LakeTable, schema: LakeSchema, definition: TableDefinition)
      extends Operation

  /** Sets lake options of the table's scope. It accompanies other operations on the table; options
    * alone make no snapshot and are set without a commit.
    */
  final case class SetTableOptions(table: LakeTable, options: Vector[OptionChange])
      extends Operation

  /** Stores the epoch as the last epoch of its query. The operation follows the operations with the
    * epoch's rows, and does nothing when they change nothing. The whole commit does nothing when
    * the table already has this epoch, and fails when it has a later epoch of the query.
    */
  final case class RecordEpoch(table: LakeTable, epoch: StreamEpoch) extends Operation

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
  ) extends Operation

  final case class DropView(view: LakeView) extends Operation

  /** @param schema the schema it is in afterwards */
  final case class RenameView(view: LakeView, schema: LakeSchema, name: String) extends Operation

  final case class SetViewTags(view: LakeView, tags: Map[String, String]) extends Operation

  /** Creates a dropped schema again, under a new id and with its old directory. Later operations of
    * the same commit may name the old schema for it.
    *
    * @param at the past snapshot that has the schema
    */
  final case class RestoreSchema(past: LakeSchema, at: SnapshotId) extends Operation

  /** Drops a macro. Macros are dropped only together with their schema. */
  final case class DropMacro(schema: SchemaId, id: MacroId, isTableMacro: Boolean) extends Operation

  final case class AppendFiles(target: TableTarget, files: Vector[NewDataFile]) extends Operation {

    /** What the files add to the statistics of an existing table. */
    lazy val total: Option[TableStatistics] = target match {
      case TableTarget.Existing(table) =>
        StatsMerge.total(files.iterator.map(_.rows), LeafColumns.of(table.columns))
      case TableTarget.Created(_) => None
    }
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
  ) extends Operation {

    /** What the files add to the statistics of the table. */
    lazy val total: Option[TableStatistics] =
      StatsMerge.total(files.iterator.map(_.data.rows), LeafColumns.of(table.columns))
  }

  /** Appends inlined rows. `Dialect.inlinedValue` accepts each of the values. */
  final case class AppendInlined(target: TableTarget, rows: Vector[NewInlinedRow]) extends Operation

  /** Deletes rows that are live at the base. The commit fails when another commit has deleted or
    * changed one of these rows since.
    *
    * @param endedFiles data files whose rows are all deleted
    * @param deleteFiles new delete files for data files that keep some rows
    * @param inlinedDeletes positions in data files whose deletes are kept in the catalog
    * @param endedInlined row ids of inlined rows
    * @param known the earlier deletes of these data files, on top of which the operation was
    *   planned. An absent file had none, except the delete files that its new delete file replaces
    */
  final case class DeleteRows(
      table: LakeTable,
      endedFiles: Vector[DataFileId],
      deleteFiles: Vector[NewDeleteFile],
      inlinedDeletes: Map[DataFileId, Vector[Long]],
      endedInlined: IndexedSeq[Long],
      known: Map[DataFileId, KnownDeletes] = Map.empty,
  ) extends Operation {

    /** The data files that lose rows. */
    def touchedFiles: Vector[DataFileId] =
      endedFiles ++ deleteFiles.map(_.dataFile) ++ inlinedDeletes.keys

    /** The earlier deletes of a data file that loses rows. */
    def knownOf(file: DataFileId): KnownDeletes =
      known.getOrElse(file, KnownDeletes(replaced.getOrElse(file, Set.empty), 0L))

    private lazy val replaced: Map[DataFileId, Set[DeleteFileId]] =
      deleteFiles.map(each => each.dataFile -> each.replaces.toSet).toMap

    def touchesFiles: Boolean = endedFiles.nonEmpty || deleteFiles.nonEmpty
    def touchesCatalog: Boolean = inlinedDeletes.nonEmpty || endedInlined.nonEmpty
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
  ) extends Operation

  /** Replaces data files by fewer files with the same rows, row ids and snapshots.
    *
    * @param files the new files, each with the files whose rows it has
    */
  final case class MergeFiles(table: LakeTable, files: Vector[MergedFile]) extends Operation {
    def sources: Vector[DataFileId] = files.flatMap(_.sources.map(_.id))

    /** The size of the new files minus the size of the old files, in bytes; mostly negative. */
    def growth: Long =
      files.map(one => one.file.sizeBytes - one.sources.map(_.sizeBytes).sum).sum
  }

  /** Replaces data files with deleted rows by files without these rows.
    *
    * @param files the new files, each with the files whose rows it has
    */
  final case class RewriteFiles(table: LakeTable, files: Vector[RewrittenFiles]) extends Operation {
    def sources: Vector[RewriteSource] = files.flatMap(_.sources)

    /** The size of the new files minus the size of the old files, in bytes; mostly negative. */
    def growth: Long = files.flatMap(_.file).map(_.sizeBytes).sum - sources.map(_.sizeBytes).sum
  }

  /** Recomputes the statistics of a table from its files and its inlined rows.
    *
    * @param kept the bounds of the table at a snapshot; the commit adds newer bounds
    */
  final case class RecomputeStatistics(table: LakeTable, kept: KeptBounds) extends Operation

  /** Deletes all rows of a table, in files and in the catalog. */
  final case class Truncate(table: LakeTable) extends Operation

  /** Changes nothing, but the commit fails when rows within the scope were added to the table since
    * the base. It accompanies new rows that depend on the rows that the statement found: an
    * overwrite replaces the rows that it found, and MERGE inserts the rows for which it found no
    * match (decision 25).
    */
  final case class AssertNoNewRows(table: LakeTable, scope: RowScope) extends Operation

  /** Changes nothing, but the commit fails when another commit added, changed or deleted rows of
    * the table since the base. It accompanies rows that replace all rows of the table.
    */
  final case class AssertSameRows(table: LakeTable) extends Operation

  /** Changes nothing, but a commit that comes after other changes of rows is planned again: the
    * planner has looked at the rows of this snapshot only. New rows count, and deleted rows if
    * `alsoDeleted`.
    */
  final case class AssertRowsSeen(table: LakeTable, at: Snapshot, alsoDeleted: Boolean)
      extends Operation

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
      extends Operation {
    val shape: RestoredShape = RestoredShape.between(present, past)
  }

  /** Adds copies of data files that the table had, with their row ids, partition values and
    * statistics.
    *
    * @param table the table with the columns that it has in this commit
    * @param at the past snapshot that has the files
    */
  final case class RestoreFiles(table: LakeTable, copies: Vector[FileCopy], at: SnapshotId)
      extends Operation

  /** Changes nothing, but the commit fails when another commit changed this part of the table since
    * the base.
    */
  final case class AssertUnchanged(table: LakeTable, part: TablePart) extends Operation

  /** Changes nothing, but the commit fails when another commit changed anything since the base.
    * Compactions keep every row and do not count.
    */
  case object AssertLakeUnchanged extends Operation
}

/** What of a table a statement has looked at. */
sealed trait TablePart

object TablePart {

  /** Its files, and everything else. A compaction changes the files. */
  case object Files extends TablePart

  /** Its rows and its definition, which compactions and flushes keep. */
  case object Content extends TablePart
}

/** A copy of a data file.
  *
  * @param source the data file that was copied
  * @param path of the copy, relative to the table's directory
  * @param rows the rows of the file, as an addition to the table statistics
  */
final case class FileCopy(source: DataFileId, path: String, rows: AddedRows)

/** A set of rows of a table. */
sealed trait RowScope

object RowScope {
  case object Every extends RowScope

  /** @param layout the partition spec of the values
    * @param values the partition values by key, in the text that is stored for files
    */
  final case class Partitions(layout: PartitionId, values: Set[Vector[Option[String]]])
      extends RowScope
}

/** The table that new rows are appended to. */
sealed trait TableTarget

object TableTarget {
  final case class Existing(table: LakeTable) extends TableTarget

  /** The table that the commit creates under this uuid. */
  final case class Created(uuid: UUID) extends TableTarget
}
