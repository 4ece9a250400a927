package ducklake.spark.maintenance.rollback

import ducklake.catalog.LakeSnapshot
import ducklake.catalog.change.CommitInfo
import ducklake.catalog.commit.CommitOutcome
import ducklake.catalog.model.LakeTable
import ducklake.catalog.model.SnapshotId
import ducklake.spark.session.SessionLake
import org.slf4j.LoggerFactory

/** A table that went back.
  *
  * @param snapshot the new snapshot; the newest when nothing had to change
  */
final case class RolledBackTable(schema: String, table: String, snapshot: SnapshotId)

/** Makes tables what they were at a past snapshot, as a new snapshot. */
final class Rollback(lake: SessionLake) {
  private val log = LoggerFactory.getLogger(classOf[Rollback])

  /** Brings one table back. None when no table has or had the name.
    *
    * Errors: InvalidArgument when the past snapshot does not have the table; UnreadableFile for a
    * file of the past that is gone from the storage; Unsupported; CommitConflict when another
    * commit changed the table meanwhile; other errors of a commit.
    *
    * @param name finds the table that the caller named
    */
  def table(
      past: LakeSnapshot,
      name: LakeSnapshot => Option[LakeTable],
  ): Option[RolledBackTable] = {
    val base = lake.writable()
    RollbackTarget.of(base, past, name).map { target =>
      val snapshot = run(base, past, target)
      RolledBackTable(target.past.schema.name, target.past.name, snapshot)
    }
  }

  private def run(base: LakeSnapshot, past: LakeSnapshot, target: RollbackTarget): SnapshotId = {
    val work = new TableRollback(lake, base, past, target)
    val operations =
      try work.run()
      catch {
        case failure: Throwable =>
          work.written.delete()
          throw failure
      }
    if (operations.isEmpty) base.snapshot.id
    else {
      val outcome = lake.commit(base, operations, CommitInfo.none)
      outcome match {
        case CommitOutcome.Failed(_) => work.written.delete()
        case CommitOutcome.Committed(snapshot) =>
          log.info(
            "Rolled {} back to snapshot {} in snapshot {}: {} new files",
            target.past.qualifiedName,
            past.snapshot.id.value,
            snapshot.id.value,
            work.written.paths.size,
          )
        case CommitOutcome.Staged(_) | CommitOutcome.Unknown(_) => ()
      }
      outcome.orThrow.id
    }
  }
}

object Rollback {
  val Procedure: String = "rollback_to_snapshot"
}
