package ducklake.catalog.change

import ducklake.catalog.model.DataFileId
import ducklake.catalog.model.LakePath
import ducklake.catalog.model.LakeSchema
import ducklake.catalog.model.LakeTable
import ducklake.catalog.model.LakeView
import ducklake.catalog.model.MacroId
import ducklake.catalog.model.PartitionId
import ducklake.catalog.model.SchemaId
import ducklake.catalog.model.SnapshotId

import java.util.UUID

/** One thing that a commit does, told in terms of the snapshot that the statement saw.
  *
  * Operations of one commit are done in order; each existing table is altered at most once.
  */
sealed trait Operation

object Operation {

  /** @param path relative to the data path, ending in a separator */
  final case class CreateSchema(
      name: String,
      uuid: UUID,
      path: LakePath,
      tags: Map[String, String],
  ) extends Operation

  /** The schema is empty, or all that it holds is dropped by operations before this one. */
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

  /** From what it was to what it is to be: columns, tags, layout, sort order, name, schema.
    *
    * @param schema the schema it is in afterwards
    */
  final case class AlterTable(table: LakeTable, schema: LakeSchema, definition: TableDefinition)
      extends Operation

  final case class CreateView(
      schema: LakeSchema,
      name: String,
      uuid: UUID,
      dialect: String,
      sql: String,
      aliases: String,
      tags: Map[String, String],
  ) extends Operation

  final case class DropView(view: LakeView) extends Operation

  /** @param schema the schema it is in afterwards */
  final case class RenameView(view: LakeView, schema: LakeSchema, name: String) extends Operation

  final case class SetViewTags(view: LakeView, tags: Map[String, String]) extends Operation

  /** Only with the schema that holds it. */
  final case class DropMacro(schema: SchemaId, id: MacroId, isTableMacro: Boolean) extends Operation

  final case class AppendFiles(target: TableTarget, files: Vector[NewDataFile]) extends Operation

  /** Rows that are kept in the catalog. Every value is one that `Dialect.inlinedValue` takes. */
  final case class AppendInlined(target: TableTarget, rows: Vector[NewInlinedRow]) extends Operation

  /** @param endedFiles data files none of whose rows is left
    * @param deleteFiles for data files that keep some rows
    * @param inlinedDeletes positions in data files that the catalog itself is to name as deleted
    * @param endedInlined row ids of rows that are kept in the catalog
    */
  final case class DeleteRows(
      table: LakeTable,
      endedFiles: Vector[DataFileId],
      deleteFiles: Vector[NewDeleteFile],
      inlinedDeletes: Map[DataFileId, Vector[Long]],
      endedInlined: Vector[Long],
  ) extends Operation {

    def touchesFiles: Boolean = endedFiles.nonEmpty || deleteFiles.nonEmpty
    def touchesCatalog: Boolean = inlinedDeletes.nonEmpty || endedInlined.nonEmpty
  }

  /** Moves what the catalog keeps of a table into files, with all its history.
    *
    * @param upTo the snapshot whose history the files hold; what came later stays
    * @param rows inlined tables and the files with their rows
    * @param deletes files with the deletes that the catalog keeps of data files
    * @param deletesTable the table that these deletes leave
    */
  final case class FlushInlined(
      table: LakeTable,
      upTo: SnapshotId,
      rows: Vector[FlushedRows],
      deletes: Vector[FlushedDeletes],
      deletesTable: Option[String],
  ) extends Operation

  /** All rows, whatever files and inlined rows the table has in the snapshot that it was seen at. */
  final case class Truncate(table: LakeTable) extends Operation

  /** Changes nothing; forbids the commit when such rows came to the table since the base. It stands beside
    * new rows that depend on which rows the statement found: those of an overwrite are put in the place of
    * what it found, and MERGE inserts what it did not find (decision 0020).
    */
  final case class AssertNoNewRows(table: LakeTable, scope: RowScope) extends Operation
}

/** Rows of a table. */
sealed trait RowScope

object RowScope {
  case object Every extends RowScope

  /** @param layout that the values are of
    * @param values by key, as they are stored for files
    */
  final case class Partitions(layout: PartitionId, values: Set[Vector[Option[String]]])
      extends RowScope
}

/** The table that gets new rows. */
sealed trait TableTarget

object TableTarget {
  final case class Existing(table: LakeTable) extends TableTarget

  /** The table that the commit creates under this uuid. */
  final case class Created(uuid: UUID) extends TableTarget
}
