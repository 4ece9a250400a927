package ducklake.files

/** Deleted row positions of one data file, each with the snapshot that deleted it. Positions are
  * 0-based and strictly increasing. Immutable.
  */
final class SnapshotPositions private (positions: Array[Long], snapshots: Array[Long]) {

  def size: Int = positions.length

  def isEmpty: Boolean = positions.length == 0

  /** The smallest snapshot; `Long.MaxValue` when there are no positions. */
  def firstSnapshot: Long = snapshots.foldLeft(Long.MaxValue)(math.min)

  def lastSnapshot: Long = snapshots.foldLeft(Long.MinValue)(math.max)

  /** @param action gets each position and its snapshot
    */
  def foreach(action: (Long, Long) => Unit): Unit =
    positions.indices.foreach(at => action(positions(at), snapshots(at)))

  /** All positions of both. A position in both keeps the smaller snapshot. */
  def union(other: SnapshotPositions): SnapshotPositions = {
    val both = SnapshotPositions.newBuilder
    foreach(both.add)
    other.foreach(both.add)
    both.result()
  }
}

object SnapshotPositions {

  val empty: SnapshotPositions = new SnapshotPositions(Array.emptyLongArray, Array.emptyLongArray)

  /** Builds the positions from pairs of position and snapshot, in any order. Positions may repeat.
    */
  def apply(deleted: Iterable[(Long, Long)]): SnapshotPositions = {
    val builder = newBuilder
    deleted.foreach { case (position, snapshot) => builder.add(position, snapshot) }
    builder.result()
  }

  def newBuilder: Builder = new Builder

  /** Collects positions in any order. Mutable, for one thread. It uses plain arrays, because there
    * may be millions of positions.
    */
  final class Builder private[SnapshotPositions] {
    private val positions = Array.newBuilder[Long]
    private val snapshots = Array.newBuilder[Long]

    def add(position: Long, snapshot: Long): Unit = {
      positions += position
      snapshots += snapshot
    }

    def result(): SnapshotPositions = {
      val allPositions = positions.result()
      val allSnapshots = snapshots.result()
      if (isStrictlyIncreasing(allPositions)) new SnapshotPositions(allPositions, allSnapshots)
      else ordered(allPositions, allSnapshots)
    }
  }

  private def isStrictlyIncreasing(positions: Array[Long]): Boolean =
    (1 until positions.length).forall(at => positions(at - 1) < positions(at))

  /** Sorts by position. Of equal positions, the smallest snapshot is kept. */
  private def ordered(positions: Array[Long], snapshots: Array[Long]): SnapshotPositions = {
    val byPosition = positions.indices.sortBy(at => (positions(at), snapshots(at)))
    val kept = byPosition.indices.filter { at =>
      at == 0 || positions(byPosition(at - 1)) != positions(byPosition(at))
    }
    val order = kept.map(byPosition).toArray
    new SnapshotPositions(order.map(positions(_)), order.map(snapshots(_)))
  }
}
