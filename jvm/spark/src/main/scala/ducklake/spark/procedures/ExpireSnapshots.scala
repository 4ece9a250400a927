package ducklake.spark.procedures

import ducklake.catalog.change.plan.ExpiryCriterion
import ducklake.catalog.change.plan.ExpiryPlan
import ducklake.catalog.types.SnapshotId
import ducklake.spark.maintenance.cleanup.AgeOption
import ducklake.spark.metadata.LocalResult
import ducklake.spark.metadata.SnapshotsTable
import ducklake.spark.session.HeldTransaction
import ducklake.spark.session.SessionLake
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.connector.catalog.procedures.ProcedureParameter
import org.apache.spark.sql.types.ArrayType
import org.apache.spark.sql.types.BooleanType
import org.apache.spark.sql.types.LongType
import org.apache.spark.sql.types.TimestampType

import java.time.Instant

/** Removes old snapshots that have no name, and that no reader and no open transaction of this
  * process needs. Without a criterion the option `expire_older_than` is the criterion, and nothing
  * happens when it is not set. Of very many snapshots only the first are shown.
  *
  * Source: DuckDB 1.5.5, expire_snapshots (format 9.1).
  */
final class ExpireSnapshots(session: SessionLake)
    extends LakeProcedure(
      "expire_snapshots",
      "Removes old snapshots, and schedules files that no other snapshot sees for deletion",
    ) {

  override def parameters(): Array[ProcedureParameter] = Array(
    Arguments.optional("versions", ArrayType(LongType)),
    Arguments.optional("older_than", TimestampType),
    Arguments.optional("dry_run", BooleanType),
  )

  /** The rows are made before anything is removed: an entry of `changes_made` may be unreadable. */
  override def result(row: InternalRow): LocalResult = {
    val arguments = new Arguments(name(), row)
    val plan = planned(arguments)
    val shown = plan.fold(SnapshotsTable.noneExpired)(SnapshotsTable.expired)
    execute(arguments, plan)
    shown
  }

  /** The plan that was executed, or only made in a dry run; None when there is nothing to expire. */
  def expired(row: InternalRow): Option[ExpiryPlan] = {
    val arguments = new Arguments(name(), row)
    val plan = planned(arguments)
    execute(arguments, plan)
    plan
  }

  private def planned(arguments: Arguments): Option[ExpiryPlan] = {
    val criterion = criterionOf(arguments)
    if (!arguments.isTrue(2)) session.prepareToWriteIfAny(): Unit
    val readersSince = AgeOption.limit(session, AgeOption.Reader).getOrElse(Instant.EPOCH)
    val inUse = HeldTransaction.bases(session.config.lake, session.lake.dataPath())
    criterion.flatMap(session.lake.planExpiry(_, readersSince, inUse))
  }

  private def execute(arguments: Arguments, plan: Option[ExpiryPlan]): Unit =
    if (!arguments.isTrue(2)) plan.foreach(session.lake.expire)

  private def criterionOf(arguments: Arguments): Option[ExpiryCriterion] =
    (arguments.numbers(0, "versions"), arguments.instant(1)) match {
      case (Some(_), Some(_)) => arguments.fail("versions", "is given together with `older_than`")
      case (Some(ids), None) => Some(ExpiryCriterion.Versions(ids.map(SnapshotId(_)).toSet))
      case (None, Some(time)) => Some(ExpiryCriterion.OlderThan(time))
      case (None, None) =>
        AgeOption.limit(session, AgeOption.Expire).map(ExpiryCriterion.OlderThan(_))
    }
}
