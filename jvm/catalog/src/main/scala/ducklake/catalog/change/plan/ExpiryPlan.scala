package ducklake.catalog.change.plan

import ducklake.catalog.model.Snapshot
import ducklake.catalog.model.SnapshotInfo
import ducklake.catalog.option.RegisteredReader
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

/** The snapshots that expire: those that satisfy the criterion, are older than the newest, have no
  * name and are not needed by a reader or an open transaction of this process. A dry run shows the
  * plan, and a run executes the same plan.
  *
  * @param head the newest snapshot when the plan was made; it never expires
  * @param readersSince readers that registered before this time keep nothing
  * @param inUse the snapshots that open transactions of this process read
  * @param listed the snapshots that expire, ordered by id; at most the first
  *   [[ExpiryPlan.MostListed]]
  * @param kept the snapshots that would expire if nothing needed them, ordered by id; of those
  *   that only readers need, at most the first [[ExpiryPlan.MostListed]]
  * @param stranded the readers that lose snapshots which they have not read
  */
final case class ExpiryPlan(
    head: Snapshot,
    criterion: ExpiryCriterion,
    readersSince: Instant,
    inUse: Set[SnapshotId],
    listed: Vector[SnapshotInfo],
    kept: Vector[KeptSnapshot],
    stranded: Vector[RegisteredReader],
)

/** A snapshot that does not expire.
  *
  * @param names the names of the snapshot
  * @param readers the readers that need it
  * @param isInUse whether an open transaction of this process reads it
  */
final case class KeptSnapshot(
    info: SnapshotInfo,
    names: Vector[String],
    readers: Vector[RegisteredReader],
    isInUse: Boolean,
)

object ExpiryPlan {

  /** How many snapshots a plan shows. A lake may have millions, and each takes memory. */
  val MostListed = 10000
}
