package ducklake.spark.session

import ducklake.catalog.LakeSnapshot
import ducklake.catalog.change.operation.CommitInfo
import ducklake.catalog.change.operation.CommitOutcome
import ducklake.catalog.change.operation.Operation

/** A call of a procedure that may commit several times. All its commits have the author, message
  * and extra info that were in force when the call began, because the user sees one call, for which
  * DuckDB makes one commit.
  *
  * @param own what the caller gives for these commits
  */
final class MaintenanceCall(val lake: SessionLake, own: StatementInfo = StatementInfo.none) {
  private val info = lake.completed(own)

  /** Commits operations that follow from `base`. */
  def commit(base: LakeSnapshot, operations: Vector[Operation]): CommitOutcome =
    lake.commit(base, operations, info, again = None)
}

/** Commit info without open parts.
  *
  * @param own what the statement itself gives
  * @param announced the announcement that was used; only the first commit uses it
  */
final case class CommitInfoInForce(
    own: StatementInfo,
    whole: StatementInfo,
    announced: CommitInfo,
)
