package ducklake.spark.streaming

import ducklake.catalog.LakeSnapshot
import ducklake.catalog.model.RowPlace
import ducklake.catalog.types.SnapshotId
import ducklake.spark.session.TableAtSnapshot

import scala.annotation.tailrec

/** Chooses where a batch of a stream ends, by its limit. Source: decision 20. */
private[streaming] final class BatchEnds(rows: StreamedRows, table: FollowedTable) {
  import BatchEnds.FirstWindow

  private val lake = rows.at.session.lake

  /** The end of a batch of one snapshot.
    *
    * @param place the rows before it were read
    */
  def within(
      snapshot: LakeSnapshot,
      from: SnapshotOffset,
      place: RowPlace,
      limit: AdmissionLimit,
  ): SnapshotOffset = {
    val whole = at(snapshot)
    rows.divided.flatMap(_.end(snapshot, place, limit)).fold(whole) { end =>
      from.copy(part = whole.read.map(ReadPart(_, end)))
    }
  }

  /** The end of a batch of several snapshots.
    *
    * @param first the first snapshot that was not read
    * @param last the last snapshot that may be read
    */
  def after(
      from: SnapshotOffset,
      first: SnapshotId,
      last: LakeSnapshot,
      limit: AdmissionLimit,
  ): SnapshotOffset = if (limit.isNone) at(last) else after(from, first, last, limit, FirstWindow)

  /** The snapshots are read in windows, each twice as long as the window before, so that the cost of
    * a batch depends on its own size, even if the stream is far behind.
    */
  @tailrec
  private def after(
      from: SnapshotOffset,
      first: SnapshotId,
      last: LakeSnapshot,
      limit: AdmissionLimit,
      window: Long,
  ): SnapshotOffset = {
    val ofWindow = SnapshotId(first.value + window - 1)
    val isLast = ofWindow.value >= last.snapshot.id.value || !table.has(ofWindow)
    val end = if (isLast) last else lake.at(ofWindow)
    val sizes = ChangeSize.since(first, atSnapshot(end), rows.kind.sides)
    sizes.headOption.filter(change => limit.isExceededBy(change.size)) match {
      case Some(large) => ofLarge(from, lake.at(large.snapshot), limit)
      case None =>
        limit.firstOver(sizes.map(_.size)).map(sizes(_).snapshot) match {
          case Some(over) => at(lake.at(SnapshotId(over.value - 1)))
          case None if isLast => at(last)
          case None => after(from, first, last, limit, window * 2)
        }
    }
  }

  /** @param large the first snapshot with rows, larger than the limit */
  private def ofLarge(
      from: SnapshotOffset,
      large: LakeSnapshot,
      limit: AdmissionLimit,
  ): SnapshotOffset =
    if (rows.divided.exists(_.mayDivide(large)))
      within(large, from, RowPlace.before(large.snapshot.id), limit)
    else at(large)

  private def at(snapshot: LakeSnapshot): SnapshotOffset =
    SnapshotOffset.at(rows.at.table.uuid, snapshot.snapshot)

  private def atSnapshot(snapshot: LakeSnapshot): TableAtSnapshot =
    new TableAtSnapshot(rows.at.session, snapshot, rows.at.table, isPast = true)
}

private object BatchEnds {

  /** The number of snapshots that are read first for the end of a limited batch. */
  val FirstWindow = 64L
}
