package ducklake.spark.maintenance.rollback

import ducklake.catalog.LakeSnapshot
import ducklake.catalog.change.operation.Operation
import ducklake.catalog.error.LakeError
import ducklake.catalog.error.LakeException
import ducklake.catalog.model.LakeTable
import ducklake.catalog.types.SnapshotId
import ducklake.spark.session.SessionLake
import ducklake.spark.session.StatementInfo
import ducklake.spark.session.WrittenFiles
import org.slf4j.LoggerFactory

/** A table that was rolled back.
  *
  * @param snapshot the new snapshot; the newest when nothing had to change
  */
final case class RolledBackTable(schema: String, table: String, snapshot: SnapshotId)

/** Restores tables to their state at a past snapshot, as a new snapshot. */
final class Rollback(lake: SessionLake) {
  private val log = LoggerFactory.getLogger(classOf[Rollback])

  /** Rolls one table back. None when no table has or had the name.
    *
    * Errors: InvalidArgument when the past snapshot does not have the table; UnreadableFile for a
    * file of the past that is missing in the storage; Unsupported; CommitConflict when another
    * commit changed the table meanwhile; other errors of a commit.
    *
    * @param name finds the table that the caller named
    */
  def table(
      past: LakeSnapshot,
      name: LakeSnapshot => Option[LakeTable],
  ): Option[RolledBackTable] = {
    val base = lake.base()
    RollbackTarget.of(base, past, name).map { target =>
      val only = TablesPlan(Vector(target), Vector.empty)
      run(base, past, only, SchemasAndViews.none).headOption.getOrElse {
        RolledBackTable(target.past.schema.qualifiedName, target.past.name, base.snapshot.id)
      }
    }
  }

  /** Rolls all tables and views back. Returns the tables that changed.
    *
    * Errors: InvalidArgument for macros that differ now, and for names that cannot come back;
    * CommitConflict when another commit changed anything meanwhile; the errors of [[table]].
    */
  def wholeLake(past: LakeSnapshot): Vector[RolledBackTable] = {
    val base = lake.base()
    def refuse(why: String): Nothing =
      throw new LakeException(
        LakeError.InvalidArgument(
          RollbackProcedures.ToSnapshot,
          "snapshot_version",
          s"names snapshot ${past.snapshot.id.value}, which $why",
        )
      )
    val difference = new LakeDifference(base, past, refuse)
    difference.checkMacros()
    val planner = new TablesPlanner(base, past, difference.schemaOf, difference.freed, refuse)
    val plan = planner.plan(difference.tables)
    run(
      base,
      past,
      plan,
      SchemasAndViews(
        difference.dropsOfViews,
        difference.schemas,
        difference.viewsAgain,
        Vector(Operation.AssertLakeUnchanged),
      ),
    )
  }

  /** Undoes one commit. Returns its tables.
    *
    * Errors: InvalidArgument when the commit changed something other than tables, or one of its
    * tables was changed since; NoSuchSnapshot when it or its predecessor has expired; the errors of
    * [[table]].
    */
  def undo(commit: SnapshotId): Vector[RolledBackTable] = {
    val base = lake.base()
    val undone = new UndoneCommit(lake.lake, base, commit)
    def refuse(why: String): Nothing =
      undone.refuse(s"names snapshot ${commit.value}; the snapshot before it $why")
    val schemaOf = base.schemas().map(schema => schema.id -> schema).toMap
    val planner = new TablesPlanner(base, undone.past, schemaOf, Set.empty, refuse)
    run(base, undone.past, planner.plan(undone.tables()), SchemasAndViews.none)
  }

  private def run(
      base: LakeSnapshot,
      past: LakeSnapshot,
      plan: TablesPlan,
      rest: SchemasAndViews,
  ): Vector[RolledBackTable] = {
    var written = WrittenFiles(Vector.empty)
    // One table after another, so that the driver holds only the listings of one table.
    def operationsOf(target: RollbackTarget): Vector[Operation] = {
      val work = new TableRollback(lake, base, past, target)
      try work.run()
      finally written = WrittenFiles(written.paths ++ work.written.paths)
    }
    val changes =
      try plan.targets.map(operationsOf)
      catch {
        case failure: Throwable =>
          written.delete(lake.config.hadoop)
          throw failure
      }
    val drops = plan.dropped.flatMap(TablesPlanner.drop)
    val operations = rest.drops ++ drops ++ rest.schemas ++ changes.flatten ++ rest.views
    val guarded = if (operations.isEmpty) operations else operations ++ rest.guards
    val snapshot = commit(base, past, guarded, written)
    val changed = plan.targets.zip(changes).collect {
      case (target, change) if change.nonEmpty => target.past
    }
    (plan.dropped ++ changed).map { table =>
      RolledBackTable(table.schema.qualifiedName, table.name, snapshot)
    }
  }

  /** Returns the new snapshot; the newest when there is nothing to do. */
  private def commit(
      base: LakeSnapshot,
      past: LakeSnapshot,
      operations: Vector[Operation],
      written: WrittenFiles,
  ): SnapshotId =
    if (operations.isEmpty) base.snapshot.id
    else {
      val outcome = lake.commit(base, operations, StatementInfo.none)
      outcome.ifNoSnapshot(written.delete(lake.config.hadoop))
      outcome.committed.foreach { snapshot =>
        log.info(
          "Went back to snapshot {} in snapshot {}: {} new files",
          past.snapshot.id.value,
          snapshot.id.value,
          written.paths.size,
        )
      }
      outcome.orThrow.id
    }
}
