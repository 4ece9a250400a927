package ducklake.catalog.change

import ducklake.catalog.model.Snapshot
import ducklake.catalog.model.SnapshotId
import ducklake.catalog.model.SnapshotInfo

import java.time.Instant

/** Which snapshots a call wants to expire. */
sealed trait ExpiryCriterion

object ExpiryCriterion {

  /** Snapshots that were made before the time. */
  final case class OlderThan(time: Instant) extends ExpiryCriterion

  /** Snapshots by id. An id that the lake does not have is ignored, as by DuckDB. */
  final case class Versions(ids: Set[SnapshotId]) extends ExpiryCriterion
}

/** The snapshots that expire. A dry run shows the plan, and a run executes the same plan.
  *
  * @param head the newest snapshot when the plan was made; it never expires
  * @param expired ordered by id
  */
final case class ExpiryPlan(head: Snapshot, expired: Vector[SnapshotInfo])

object ExpiryPlan {

  /** The plan; None for a lake without snapshots.
    *
    * @param all all snapshots of the lake, ordered by id
    *
    * Source: DuckDB 1.5.5, expire_snapshots. DuckDB compares times as texts on SQLite; this code
    * compares points in time.
    */
  def of(all: Vector[SnapshotInfo], criterion: ExpiryCriterion): Option[ExpiryPlan] =
    all.map(_.snapshot).maxByOption(_.id.value).map { head =>
      ExpiryPlan(
        head,
        all.filter(info => info.snapshot.id != head.id && isMeant(info.snapshot, criterion)),
      )
    }

  private def isMeant(snapshot: Snapshot, criterion: ExpiryCriterion): Boolean =
    criterion match {
      case ExpiryCriterion.OlderThan(time) => snapshot.time.isBefore(time)
      case ExpiryCriterion.Versions(ids) => ids.contains(snapshot.id)
    }
}
