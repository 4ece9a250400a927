package ducklake.catalog.read.snapshot

import ducklake.catalog.sql.query.TimeSide
import ducklake.catalog.types.SnapshotId

import java.time.Instant

/** Finds the snapshots nearest to a point in time on some sides of it, among snapshots in any
  * order. It keeps one snapshot for each side. Snapshots with the same time are ordered by id. For
  * one thread.
  */
private[snapshot] final class NearestSnapshots(time: Instant, sides: Vector[TimeSide]) {

  // Filled by the loop over all snapshots.
  private var found = Map.empty[TimeSide, (Instant, Long)]

  def add(id: SnapshotId, at: Instant): Unit = {
    val candidate = (at, id.value)
    sides.filter(isOn(_, at)).foreach { side =>
      if (found.get(side).forall(isNearer(side, candidate, _))) found += side -> candidate
    }
  }

  /** Sides without a snapshot are left out. */
  def result(): Vector[SnapshotId] = sides.flatMap(found.get).map { case (_, id) => SnapshotId(id) }

  private def isOn(side: TimeSide, at: Instant): Boolean = side match {
    case TimeSide.Before => at.isBefore(time)
    case TimeSide.AtOrBefore => !at.isAfter(time)
    case TimeSide.AtOrAfter => !at.isBefore(time)
    case TimeSide.After => at.isAfter(time)
  }

  private def isNearer(side: TimeSide, one: (Instant, Long), other: (Instant, Long)): Boolean =
    side match {
      case TimeSide.Before | TimeSide.AtOrBefore => NearestSnapshots.order.gt(one, other)
      case TimeSide.AtOrAfter | TimeSide.After => NearestSnapshots.order.lt(one, other)
    }
}

private object NearestSnapshots {
  private val order = Ordering[(Instant, Long)]
}
