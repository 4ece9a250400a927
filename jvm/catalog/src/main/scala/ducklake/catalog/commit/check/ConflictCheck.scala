package ducklake.catalog.commit.check

import ducklake.catalog.change.conflict.Change
import ducklake.catalog.change.conflict.ConflictRules
import ducklake.catalog.change.operation.Operation
import ducklake.catalog.change.operation.PendingCommit
import ducklake.catalog.change.schema.PartitionSpecChange
import ducklake.catalog.change.schema.TableDefinition
import ducklake.catalog.error.LakeError
import ducklake.catalog.error.LakeException
import ducklake.catalog.jdbc.Session
import ducklake.catalog.model.LakeSchema
import ducklake.catalog.model.LakeTable
import ducklake.catalog.model.Snapshot
import ducklake.catalog.read.snapshot.TransactionHead
import ducklake.catalog.sql.Dialect
import ducklake.catalog.sql.FormatVersion
import ducklake.catalog.sql.Sql
import ducklake.catalog.sql.query.CommitSql
import ducklake.catalog.sql.query.InlinedSql
import ducklake.catalog.types.SnapshotId

/** Checks a commit for conflicts with the snapshots that were made since its base. */
private[commit] final class ConflictCheck(
    session: Session,
    dialect: Dialect,
    version: FormatVersion,
) {
  private val sql = new CommitSql(dialect)
  private val inlined = new InlinedSql(dialect, version)

  private val rows = new NewRowsCheck(session, sql, inlined)
  private val restores = new RestoreCheck(session, dialect)
  private val tables = new TableCheck(session, sql)
  private val deletes = new DeleteCheck(session, dialect, version)
  private val peerEntries = new DuckDbConflictMarkers(session, sql, inlined)

  /** @param newest the newest snapshot, and the time of the base snapshot in the database now
    * @param ours the changes of the commit
    *
    * Errors: CommitConflict. Throws StalePlan when deletes have to be planned again.
    */
  def check(pending: PendingCommit, newest: TransactionHead, ours: Vector[Change]): Unit = {
    checkHistory(pending.base, newest)
    val since =
      if (pending.operations.forall(_.isCheckedByState)) Vector.empty
      else compared(pending, newest.snapshot.id, ours)
    tables.check(pending.operations, pending.base.id).foreach(refuse)
    pending.operations.foreach(checkState(_, pending.base, since))
  }

  /** Compares the changes with the changes of other commits since the base. Returns the changes
    * that those commits made to the objects of the commit.
    */
  private def compared(
      pending: PendingCommit,
      head: SnapshotId,
      ours: Vector[Change],
  ): Vector[Change] = {
    lazy val schemas = schemaPaths()
    val touched = pending.tables.map(_.id).toSet
    val others = new ChangesSince(session, sql)
      .read(pending.base.id, head, ChangesSince.relevantTo(pending.operations, touched, ours))
    val since = others match {
      case Right(found) => peerEntries.without(found, touched)
      case Left(why) => refuse(why)
    }
    since.foreach { case (snapshot, changes) =>
      ConflictRules.clash(ours, changes, schemas).foreach { case (our, other) =>
        val known = schemas.map { case (id, path) => id -> path.mkString(".") } ++ namesIn(pending)
        refuse(
          s"it wants to ${ConflictText.sentence(our, known)}, but snapshot $snapshot, made " +
            s"since it began, did ${ConflictText.sentence(other, known)}"
        )
      }
    }
    if (pending.operations.contains(Operation.AssertLakeUnchanged))
      restores.ofLake(since).foreach(refuse)
    since.flatMap(_._2)
  }

  /** The names that lead to each schema, dropped schemas included. */
  private def schemaPaths(): Map[Long, Vector[String]] = {
    val rows = session
      .query(sql.schemaNames(version)) { row =>
        row.long(1) -> ((row.text(2), row.longOption(3)))
      }
      .toMap
    def path(id: Long, depth: Int): Vector[String] = rows.get(id) match {
      case Some((name, Some(parent))) if depth < rows.size => path(parent, depth + 1) :+ name
      case Some((name, _)) => Vector(name)
      case None => Vector.empty
    }
    rows.keys.map(id => id -> path(id, 0)).toMap
  }

  /** Checks that the base is still a snapshot of the lake. A lake that was restored from a backup
    * has another snapshot under the same number, or none.
    */
  private def checkHistory(base: Snapshot, newest: TransactionHead): Unit = {
    val isOther = newest.knownTime.exists(_ != base.time)
    if (isOther || newest.snapshot.id.value <= base.id.value)
      refuse(
        s"snapshot ${base.id.value}, which it is based on, is not the one that the lake has now: the " +
          "catalog was put back from a copy, or made anew, since it began"
      )
  }

  /** Checks conflicts that the texts in `changes_made` do not show. */
  private def checkState(operation: Operation, base: Snapshot, since: Vector[Change]): Unit =
    operation match {
      case delete: Operation.DeleteRows => checkRows(delete, base.id)
      case flush: Operation.FlushInlined =>
        checkLayout(flush.table, base.id)
        checkTypes("flush", flush.table, base.id)
      case merge: Operation.MergeFiles =>
        checkTypes("merge files of", merge.table, base.id)
      case rewrite: Operation.RewriteFiles =>
        checkTypes("rewrite files of", rewrite.table, base.id)
      case recompute: Operation.RecomputeStatistics => checkBounds(recompute)
      case repair: Operation.RepairKeys =>
        checkTypes("repair the partition values of", repair.table, base.id)
      case alter: Operation.AlterTable => checkShape(alter, base.id)
      case guard: Operation.AssertNoNewRows => rows.ofNewRows(guard, base.id, since).foreach(refuse)
      case guard: Operation.AssertRowsSeen if rows.areUnseen(guard) =>
        throw new StalePlan(
          conflict(
            s"it wants to change rows of ${guard.table.qualifiedName}, and other commits changed rows " +
              "each time before it could look at them"
          )
        )
      case Operation.AssertSameRows(table) => rows.ofChanges(table, since).foreach(refuse)
      case guard: Operation.AssertUnchanged => restores.ofChanges(guard, since).foreach(refuse)
      case restore: Operation.RestoreTable if restore.shape.name =>
        restore.present.foreach { now =>
          checkName("rename", sql.tableName(now.id), now.schema, now.name)
        }
      case Operation.RenameView(view, _, _) =>
        checkName("rename", sql.viewName(view.id), view.schema, view.name)
      case Operation.DropTable(table) =>
        checkName("drop", sql.tableName(table.id), table.schema, table.name)
      case Operation.DropView(view) =>
        checkName("drop", sql.viewName(view.id), view.schema, view.name)
      case Operation.SetSchemaTags(schema, _) => checkProperties(schema, base.id)
      case _: Operation.CreateSchema | _: Operation.DropSchema | _: Operation.CreateTable |
          _: Operation.SetOptions | _: Operation.RecordWrite | _: Operation.RecordMove |
          _: Operation.CreateView | _: Operation.SetViewTags | _: Operation.DropMacro |
          _: Operation.AppendFiles | _: Operation.RegisterFiles | _: Operation.AppendInlined |
          _: Operation.Truncate | _: Operation.RestoreSchema | _: Operation.RestoreTable |
          _: Operation.RestoreFiles | _: Operation.AssertRowsSeen | Operation.AssertLakeUnchanged =>
        ()
    }

  private def checkShape(alter: Operation.AlterTable, base: SnapshotId): Unit = {
    val Operation.AlterTable(table, _, definition) = alter
    if (isRename(table, definition)) {
      checkName("rename", sql.tableName(table.id), table.schema, table.name)
      checkColumns(table, base)
    }
    if (PartitionSpecChange.bringsHash(table, definition)) rows.ofHash(table, base).foreach(refuse)
    rows.ofNotNull(alter, base).foreach(refuse)
  }

  /** Checks that the object still has its old name. The entry of a rename has only the new name, so
    * a rename of the same object by another commit does not show there. DuckDB drops the object
    * under its new name; we do not, because a table that was renamed before its replacement should
    * be kept.
    */
  private def checkName(what: String, question: Sql, schema: LakeSchema, name: String): Unit = {
    val live = session.first(question)(row => (row.long(1), row.text(2)))
    if (!live.contains((schema.id.value, name)))
      refuse(
        s"it wants to $what ${schema.qualifiedName}.$name, which was renamed or dropped since it began"
      )
  }

  /** Checks the tags of a schema, which change without an entry in `changes_made`. */
  private def checkProperties(schema: LakeSchema, base: SnapshotId): Unit = {
    val name = session.first(sql.schemaName(schema.id))(_.text(1))
    if (name.isEmpty)
      refuse(s"it wants to change schema ${schema.qualifiedName}, which was dropped since it began")
    if (session.first(sql.countTagChanges(schema.id.value, base))(_.long(1)).exists(_ > 0))
      refuse(
        s"it wants to change schema ${schema.qualifiedName}, whose properties were changed since it began"
      )
  }

  /** Checks the columns of a renamed table. The rename creates an inlined table with the columns at
    * the base, so the columns must not have changed.
    */
  private def checkColumns(table: LakeTable, base: SnapshotId): Unit =
    if (session.first(sql.countColumnChanges(table.id, base))(_.long(1)).exists(_ > 0))
      refuse(
        s"it wants to rename ${table.qualifiedName}, whose columns were changed since it began"
      )

  /** Checks the column types of a flushed or merged table. The bounds of the new files are in the
    * column types at the base.
    */
  private def checkTypes(what: String, table: LakeTable, base: SnapshotId): Unit =
    if (session.first(sql.countTypeChanges(table.id, base))(_.long(1)).exists(_ > 0))
      refuse(
        s"it wants to $what ${table.qualifiedName}, whose columns changed their types since it began"
      )

  /** Checks the columns of a table whose statistics are recomputed: the new bounds are in the types
    * at the base.
    */
  private def checkBounds(recompute: Operation.RecomputeStatistics): Unit = {
    val table = recompute.table
    if (session.first(sql.countColumnChanges(table.id, recompute.kept.at))(_.long(1)).exists(_ > 0))
      refuse(
        s"it wants to compute the statistics of ${table.qualifiedName} anew, whose columns were " +
          "changed since it began"
      )
  }

  /** Checks the partition spec of a flushed table. The flushed files are partitioned by the spec at
    * the base, and DuckDB would wrongly prune files without a bucket value.
    */
  private def checkLayout(table: LakeTable, base: SnapshotId): Unit =
    if (session.first(sql.countLayoutChanges(table.id, base))(_.long(1)).exists(_ > 0))
      refuse(s"it wants to flush ${table.qualifiedName}, whose layout was changed since it began")

  private def isRename(table: LakeTable, definition: TableDefinition): Boolean =
    definition.name != table.name || definition.schema != table.schema.id

  /** Checks that no other commit deleted or changed the same rows. */
  private def checkRows(delete: Operation.DeleteRows, base: SnapshotId): Unit = {
    deletes.ofInlinedRows(delete, base).foreach(refuse)
    if (!deletes.isPlannedOnNewest(delete))
      throw new StalePlan(
        conflict(
          s"it wants to delete from ${delete.table.qualifiedName}, and another commit deleted rows of " +
            "the same files or compacted them since it began"
        )
      )
  }

  private def namesIn(pending: PendingCommit): Map[Long, String] =
    pending.tables.map(table => table.id.value -> table.qualifiedName).toMap ++
      pending.operations.collect {
        case Operation.DropView(view) => view.id.value -> view.qualifiedName
        case Operation.SetViewTags(view, _) => view.id.value -> view.qualifiedName
      }

  private def refuse(why: String): Nothing = throw conflict(why)

  private def conflict(why: String): LakeException =
    new LakeException(LakeError.CommitConflict(why))
}
