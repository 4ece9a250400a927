package ducklake.catalog.model

/** When a row is visible: from `begin` (included) to `end` (excluded, None while it lives).
  *
  * Source: spec 1.0; format 0. This is the only visibility test outside SQL.
  */
final case class Lifetime(begin: SnapshotId, end: Option[SnapshotId]) {

  def isVisibleAt(snapshot: SnapshotId): Boolean =
    begin.value <= snapshot.value && end.forall(snapshot.value < _.value)
}
