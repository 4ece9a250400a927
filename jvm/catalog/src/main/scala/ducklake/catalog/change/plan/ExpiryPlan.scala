package ducklake.catalog.change.plan

import ducklake.catalog.model.Snapshot
import ducklake.catalog.model.SnapshotInfo
import ducklake.catalog.types.SnapshotId

import java.time.Instant

/** Which snapshots a call wants to expire. */
sealed trait ExpiryCriterion

object ExpiryCriterion {

  /** Snapshots that were made before the time. */
  final case class OlderThan(time: Instant) extends ExpiryCriterion

  /** Snapshots by id. An id that the lake does not have is ignored, as by DuckDB. */
  final case class Versions(ids: Set[SnapshotId]) extends ExpiryCriterion
}

/** The snapshots that expire: those that satisfy the criterion, are older than the newest and have
  * no name. A dry run shows the plan, and a run executes the same plan.
  *
  * @param head the newest snapshot when the plan was made; it never expires
  * @param listed the snapshots that expire, ordered by id; at most the first
  *   [[ExpiryPlan.MostListed]]
  * @param kept the snapshots that would expire if they had no names, ordered by id, each with its
  *   names
  */
final case class ExpiryPlan(
    head: Snapshot,
    criterion: ExpiryCriterion,
    listed: Vector[SnapshotInfo],
    kept: Vector[(SnapshotInfo, Vector[String])],
)

object ExpiryPlan {

  /** How many snapshots a plan shows. A lake may have millions, and each takes memory. */
  val MostListed = 10000
}
