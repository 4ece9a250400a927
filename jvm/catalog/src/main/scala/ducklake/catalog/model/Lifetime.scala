package ducklake.catalog.model

import ducklake.catalog.types.SnapshotId

/** The snapshots at which a metadata row is visible: from `begin` (inclusive) to `end` (exclusive,
  * None while the row is live).
  *
  * Source: spec 1.0; format 0. This is the only visibility test outside SQL.
  */
final case class Lifetime(begin: SnapshotId, end: Option[SnapshotId]) {

  def isVisibleAt(snapshot: SnapshotId): Boolean =
    begin.value <= snapshot.value && end.forall(snapshot.value < _.value)
}
