package ducklake.catalog.change.statement

import ducklake.catalog.change.conflict.Change
import ducklake.catalog.change.conflict.ChangeKind
import ducklake.catalog.change.conflict.ChangeSubject
import ducklake.catalog.change.operation.MadeIds
import ducklake.catalog.change.operation.MadeTable
import ducklake.catalog.change.schema.TableDefinition
import ducklake.catalog.change.statistics.TableStatistics
import ducklake.catalog.model.UncommittedIds
import ducklake.catalog.sql.Sql
import ducklake.catalog.types.DataFileId
import ducklake.catalog.types.DeleteFileId
import ducklake.catalog.types.PartitionId
import ducklake.catalog.types.SchemaId
import ducklake.catalog.types.SnapshotId
import ducklake.catalog.types.TableId

import java.util.UUID

/** A commit whose operations are being turned into statements: the statements so far, and the next
  * free ids.
  *
  * @param at the snapshot that the commit creates
  * @param statements in order; statements of very many rows are created when they are needed
  * @param schemaVersion schema version of that snapshot
  * @param changes the entries of the commit for `changes_made`
  * @param peerEntries entries written to `changes_made` only to make DuckDB see a conflict
  *   (decision 02)
  * @param created tables that the commit creates
  * @param aliases the ids of schemas that the commit creates, by the ids under which operations
  *   name them
  * @param layouts the ids of the partition specs that the commit creates, by table
  * @param statistics statistics of the tables that got rows
  * @param thinned tables that lost rows
  * @param versioned tables that the commit gave a schema version
  * @param inlinedTables names of the inlined tables that the commit creates, by table
  * @param files the ids of registered files, by their paths
  * @param deletes the ids of new delete files, by their data files
  */
private[statement] final case class CommitDraft(
    at: SnapshotId,
    schemaVersion: Long,
    nextCatalogId: Long,
    nextFileId: Long,
    statements: Vector[Iterable[Sql]],
    changes: Vector[Change],
    peerEntries: Vector[Change],
    created: Map[UUID, CreatedTable],
    aliases: Map[SchemaId, SchemaId],
    layouts: Map[TableId, PartitionId],
    statistics: Map[TableId, TableStatistics],
    thinned: Set[TableId],
    versioned: Set[TableId],
    inlinedTables: Map[TableId, String],
    files: Map[String, DataFileId],
    deletes: Map[DataFileId, DeleteFileId],
) {

  /** What later commits of the same transaction may name. */
  def made: MadeIds =
    MadeIds(
      created.map { case (uuid, table) => uuid -> MadeTable(table.id, table.partition) },
      files,
      deletes,
    )

  /** The id that a schema has in the commit. */
  def schema(named: SchemaId): SchemaId = aliases.getOrElse(named, named)

  /** The id that a partition spec of a table has in the commit. */
  def layout(table: TableId, named: PartitionId): PartitionId =
    if (UncommittedIds.contains(named.value)) layouts(table) else named

  def changesAnything: Boolean = statements.exists(_.nonEmpty)

  def run(more: Iterable[Sql]): CommitDraft = copy(statements = statements :+ more)

  def withChange(kind: ChangeKind, id: Long): CommitDraft =
    copy(changes = changes :+ Change(kind, ChangeSubject.Numbered(id)))

  def withPeerEntry(kind: ChangeKind, id: Long): CommitDraft =
    copy(peerEntries = peerEntries :+ Change(kind, ChangeSubject.Numbered(id)))

  def withChange(kind: ChangeKind, name: Vector[String]): CommitDraft =
    copy(changes = changes :+ Change(kind, ChangeSubject.Named(name)))
}

/** A table that the commit creates, with its ids. */
private[statement] final case class CreatedTable(
    id: TableId,
    partition: Option[PartitionId],
    definition: TableDefinition,
)
