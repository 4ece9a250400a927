package ducklake.catalog.change.statement

import ducklake.catalog.change.conflict.Change
import ducklake.catalog.change.conflict.ChangeKind
import ducklake.catalog.change.conflict.ChangeText
import ducklake.catalog.change.operation.MadeIds
import ducklake.catalog.change.operation.Operation
import ducklake.catalog.change.operation.PendingCommit
import ducklake.catalog.model.Snapshot
import ducklake.catalog.sql.Bind
import ducklake.catalog.sql.Dialect
import ducklake.catalog.sql.FormatVersion
import ducklake.catalog.sql.MetadataSchema
import ducklake.catalog.sql.Sql
import ducklake.catalog.sql.write.WriteSql
import ducklake.catalog.types.SnapshotId

import java.time.temporal.ChronoUnit

import scala.collection.View

/** A commit as SQL statements.
  *
  * @param snapshot the snapshot that the commit creates
  * @param changesMade the text for the column `changes_made` of that snapshot
  * @param changes the changes of the commit; the text has peer entries in addition
  * @param made the ids of what the commit makes
  * @param claim the statement that claims the snapshot's key
  * @param statements all other statements in order, for a transaction that has claimed the
  *   snapshot; statements of very many rows are created when they are needed
  */
final case class PlannedCommit(
    snapshot: Snapshot,
    changesMade: String,
    changes: Vector[Change],
    made: MadeIds,
    claim: Sql,
    statements: Iterable[Sql],
)

/** Turns a pending commit and the state of the lake into statements.
  *
  * @param version the version of the catalog
  */
final class CommitStatements(dialect: Dialect, version: FormatVersion) {
  private val sql = new WriteSql(dialect, version)
  private val schemas = new SchemaStatements(sql)
  private val tables = new TableStatements(sql, dialect, version)
  private val views = new ViewStatements(sql, dialect)
  private val data = new DataStatements(sql, dialect, version)
  private val registrations = new RegisterStatements(sql)
  private val flushes = new FlushStatements(sql, dialect, version)
  private val merges = new FileMergeStatements(sql, dialect)
  private val rewrites = new RewriteStatements(sql)
  private val restores = new RestoreStatements(sql, dialect, version)

  /** Inserts the key of the next snapshot, which works as the lock among commits: a commit that has
    * inserted the key cannot lose to another commit, however long the commit takes. The planned
    * statements complete the row of the snapshot.
    */
  def claim(head: Snapshot): Sql = {
    val snapshot = next(head)
    sql.insertRow(MetadataSchema.Snapshot)(
      "snapshot_id" -> Bind.Number(snapshot.id.value),
      "snapshot_time" -> Bind.Moment(snapshot.time),
      "schema_version" -> Bind.Number(snapshot.schemaVersion),
      "next_catalog_id" -> Bind.Number(snapshot.nextCatalogId),
      "next_file_id" -> Bind.Number(snapshot.nextFileId),
    )
  }

  /** Gives a snapshot another time. */
  def timed(snapshot: Snapshot): Sql = sql.completeSnapshot(snapshot)

  private def next(head: Snapshot): Snapshot = head.copy(id = SnapshotId(head.id.value + 1))

  /** None when the operations change nothing; then no snapshot is created. */
  def plan(pending: PendingCommit, context: CommitContext): Option[PlannedCommit] = {
    val done = pending.operations.foldLeft(start(pending, context)) { (plan, operation) =>
      step(plan, operation, context)
    }
    Option.when(done.changesAnything)(finish(done, pending, context))
  }

  private def start(pending: PendingCommit, context: CommitContext): CommitDraft = {
    val raises = pending.operations.exists { operation =>
      operation.changesShape || needsInlinedTable(operation, context)
    }
    val raised = if (raises) 1L else 0L
    CommitDraft(
      at = next(context.head).id,
      schemaVersion = context.head.schemaVersion + raised,
      nextCatalogId = context.head.nextCatalogId,
      nextFileId = context.head.nextFileId,
      statements = Vector.empty,
      changes = Vector.empty,
      peerEntries = Vector.empty,
      created = Map.empty,
      aliases = Map.empty,
      layouts = Map.empty,
      statistics = Map.empty,
      thinned = Set.empty,
      versioned = Set.empty,
      inlinedTables = Map.empty,
      files = Map.empty,
      deletes = Map.empty,
    )
  }

  /** A table that was created or altered while inlining was off has no inlined table for its
    * current columns.
    */
  private def needsInlinedTable(operation: Operation, context: CommitContext): Boolean =
    operation.inlinedColumns.nonEmpty &&
      operation.existing
        .flatMap(table => context.tables.get(table.id))
        .forall(_.currentInlinedTable.isEmpty)

  private def step(plan: CommitDraft, operation: Operation, context: CommitContext): CommitDraft =
    operation match {
      case create: Operation.CreateSchema => schemas.create(plan, create)
      case Operation.DropSchema(schema) => schemas.drop(plan, schema)
      case Operation.SetSchemaTags(schema, tags) => schemas.setTags(plan, schema, tags)
      case create: Operation.CreateTable => tables.create(plan, create, context)
      case Operation.DropTable(table) => tables.drop(plan, table)
      case alter: Operation.AlterTable => tables.alter(plan, alter, context)
      case set: Operation.SetOptions => tables.setOptions(plan, set)
      case record: Operation.RecordWrite => tables.recordWrite(plan, record, context)
      case record: Operation.RecordMove => tables.recordMove(plan, record, context)
      case create: Operation.CreateView => views.create(plan, create)
      case Operation.DropView(view) => views.drop(plan, view)
      case rename: Operation.RenameView => views.rename(plan, rename)
      case Operation.SetViewTags(view, tags) => views.setTags(plan, view, tags)
      case drop: Operation.DropMacro => schemas.dropMacro(plan, drop)
      case append: Operation.AppendFiles => data.append(plan, append, context)
      case files: Operation.RegisterFiles => registrations.register(plan, files, context)
      case append: Operation.AppendInlined => data.appendInlined(plan, append, context)
      case delete: Operation.DeleteRows => data.delete(plan, delete, context)
      case Operation.Truncate(table) => data.truncate(plan, table, context)
      case flush: Operation.FlushInlined => flushes.flush(plan, flush, context)
      case merge: Operation.MergeFiles => merges.merge(plan, merge, context)
      case rewrite: Operation.RewriteFiles => rewrites.rewrite(plan, rewrite)
      case recompute: Operation.RecomputeStatistics => data.recompute(plan, recompute, context)
      case Operation.RepairKeys(table, keys) => data.repair(plan, table, keys)
      case Operation.RestoreSchema(past, at) => restores.schema(plan, past, at)
      case restore: Operation.RestoreTable => restores.shape(plan, restore, context)
      case restore: Operation.RestoreFiles => restores.files(plan, restore, context)
      case _: Operation.Assertion => plan
    }

  private def finish(
      done: CommitDraft,
      pending: PendingCommit,
      context: CommitContext,
  ): PlannedCommit = {
    val full = data.statistics(done, context)
    val snapshot = Snapshot(
      full.at,
      pending.time.getOrElse(laterThan(context)),
      full.schemaVersion,
      full.nextCatalogId,
      nextFileId(full, context.head),
    )
    // DuckDB's commit joins the texts of other commits by commas. It fails at an empty text and
    // skips NULL.
    val text = ChangeText.print(full.changes ++ full.peerEntries)
    val changesRow = sql.insertRow(MetadataSchema.SnapshotChanges)(
      "snapshot_id" -> Bind.Number(snapshot.id.value),
      "changes_made" -> Bind.ofText(Option(text).filter(_.nonEmpty)),
      "author" -> Bind.ofText(pending.info.author),
      "commit_message" -> Bind.ofText(pending.info.message),
      "commit_extra_info" -> Bind.ofText(pending.info.extraInfo),
    )
    val completed = sql.completeSnapshot(snapshot)
    PlannedCommit(
      snapshot,
      text,
      full.changes,
      full.made,
      claim(context.head),
      View.fromIteratorProvider(() =>
        full.statements.iterator.flatten ++ Iterator(completed, changesRow)
      ),
    )
  }

  /** Other sessions keep their caches of files and statistics while this number stays the same
    * (format 4.3), so a commit that changes data always changes the number.
    */
  private def nextFileId(plan: CommitDraft, head: Snapshot): Long = {
    val touchesData = plan.changes.exists(change => CommitStatements.dataKinds(change.kind))
    if (touchesData && plan.nextFileId == head.nextFileId) plan.nextFileId + 1
    else plan.nextFileId
  }

  /** The time of a snapshot is always later than the time of the snapshot before, even if a clock
    * goes back.
    */
  private def laterThan(context: CommitContext): java.time.Instant = {
    val now = context.now.truncatedTo(ChronoUnit.MICROS)
    val earliest = context.head.time.plus(1, ChronoUnit.MICROS)
    if (now.isBefore(earliest)) earliest else now
  }
}

private object CommitStatements {

  private val dataKinds: Set[ChangeKind] = Set(
    ChangeKind.InsertedInto,
    ChangeKind.DeletedFrom,
    ChangeKind.InlinedInsert,
    ChangeKind.InlinedDelete,
    ChangeKind.Flush,
    ChangeKind.MergeAdjacent,
    ChangeKind.RewriteDelete,
  )
}
