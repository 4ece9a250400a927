package ducklake.catalog.model

import ducklake.catalog.types.SnapshotId

/** The snapshots from `first` to `last`, both included. Empty when `first` is after `last`. */
final case class SnapshotRange(first: SnapshotId, last: SnapshotId) {

  def isEmpty: Boolean = first.value > last.value

  def nonEmpty: Boolean = !isEmpty

  def contains(id: SnapshotId): Boolean = first.value <= id.value && id.value <= last.value

  def overlaps(other: SnapshotRange): Boolean = intersect(other).nonEmpty

  /** The snapshots that are in both ranges. */
  def intersect(other: SnapshotRange): SnapshotRange =
    SnapshotRange(
      SnapshotId(first.value.max(other.first.value)),
      SnapshotId(last.value.min(other.last.value)),
    )

  /** The only snapshot of the range; None when there is none, or more than one. */
  def single: Option[SnapshotId] = Option.when(first == last)(first)
}

object SnapshotRange {

  /** The range of one snapshot. */
  def of(id: SnapshotId): SnapshotRange = SnapshotRange(id, id)
}
