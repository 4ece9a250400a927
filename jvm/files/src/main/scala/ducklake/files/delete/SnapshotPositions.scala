package ducklake.files.delete

import java.util.Arrays
import java.util.stream.IntStream

/** Deleted row positions of one data file, each with the snapshot that deleted it. Positions are
  * 0-based and strictly increasing. Immutable.
  */
final class SnapshotPositions private (
    private val positions: Array[Long],
    private val snapshots: Array[Long],
) {

  def size: Int = positions.length

  def isEmpty: Boolean = positions.length == 0

  /** The smallest snapshot; `Long.MaxValue` when there are no positions. */
  lazy val firstSnapshot: Long = Arrays.stream(snapshots).min.orElse(Long.MaxValue)

  def lastSnapshot: Long = Arrays.stream(snapshots).max.orElse(Long.MinValue)

  /** @param action gets each position and its snapshot
    */
  def foreach(action: (Long, Long) => Unit): Unit =
    positions.indices.foreach(at => action(positions(at), snapshots(at)))

  /** For one thread that looks up many positions in order. */
  def cursor: Cursor = new Cursor

  /** Searches first after the position that was found last. */
  final class Cursor private[SnapshotPositions] () {
    private var next = 0

    /** The snapshot that deleted the position; `Long.MaxValue` when no snapshot did. */
    def snapshotOf(position: Long): Long = {
      val isNext = next < positions.length && positions(next) == position
      val found = if (isNext) next else Arrays.binarySearch(positions, position)
      if (found >= 0) {
        next = found + 1
        snapshots(found)
      } else Long.MaxValue
    }
  }

  /** The positions that this snapshot or an earlier one deleted. */
  def at(snapshot: Long): DeletedPositions = {
    // A stream of numbers without boxing.
    val deleted = IntStream.range(0, positions.length).filter(at => snapshots(at) <= snapshot)
    DeletedPositions.of(deleted.mapToLong(positions(_)).toArray)
  }

  /** The position with this index. */
  def positionAt(index: Int): Long = positions(index)

  /** The snapshot that deleted the position with this index. */
  def snapshotAt(index: Int): Long = snapshots(index)

  /** Whether a snapshot from `first` to `last` deleted one of the `rows` positions from `from` on.
    */
  def anyIn(from: Long, rows: Long, first: Long, last: Long): Boolean = {
    // A plain loop: a row group may have many deleted positions.
    val end = indexFrom(from + rows)
    var at = indexFrom(from)
    while (at < end && (snapshots(at) < first || snapshots(at) > last)) at += 1
    at < end
  }

  /** The index of the first position that is not smaller; [[size]] when all are. */
  def indexFrom(position: Long): Int = {
    val found = Arrays.binarySearch(positions, position)
    if (found >= 0) found else -found - 1
  }

  /** All positions of both. A position in both keeps the smaller snapshot. */
  def union(other: SnapshotPositions): SnapshotPositions =
    if (isEmpty) other
    else if (other.isEmpty) this
    else SnapshotPositions.merged(positions, snapshots, other.positions, other.snapshots)

  /** Lowers the snapshots of a block to the snapshots of its positions in this object.
    *
    * @param smallest a snapshot for each position of the block
    * @param block the first position of the block
    * @param from the index of the first position that is not before the block
    * @return the index of the first position after the block
    */
  private def lower(smallest: Array[Long], block: Long, from: Int): Int = {
    val end = block + smallest.length
    var at = from
    while (at < positions.length && positions(at) < end) {
      val offset = (positions(at) - block).toInt
      smallest(offset) = math.min(smallest(offset), snapshots(at))
      at += 1
    }
    at
  }
}

object SnapshotPositions {

  /** Positions whose snapshots fit into the nearest caches of a processor. */
  private val BlockSize = 1 << 14

  val empty: SnapshotPositions = new SnapshotPositions(Array.emptyLongArray, Array.emptyLongArray)

  /** Builds the positions from pairs of position and snapshot, in any order. Positions may repeat.
    */
  def apply(deleted: Iterable[(Long, Long)]): SnapshotPositions = {
    val (positions, snapshots) = deleted.toArray.unzip
    of(positions, snapshots)
  }

  /** Builds the positions from two arrays of the same length, which the new object keeps. The
    * positions may be in any order, and may repeat.
    */
  def of(positions: Array[Long], snapshots: Array[Long]): SnapshotPositions =
    if (isStrictlyIncreasing(positions)) new SnapshotPositions(positions, snapshots)
    else ordered(positions, snapshots)

  /** All positions of these. A position in several keeps the smallest snapshot. */
  def union(all: Vector[SnapshotPositions]): SnapshotPositions = {
    val named = all.filterNot(_.isEmpty)
    val count = named.map(_.size.toLong).sum
    val isDense = named.forall(one => one.positions.head >= 0 && one.positions.last < count)
    if (named.length > 2 && isDense) inBlocks(named, count)
    else named.sortBy(_.size).foldLeft(empty)(_.union(_))
  }

  /** Like [[union]], by an array with a place for each position of a block of positions. */
  private def inBlocks(all: Vector[SnapshotPositions], count: Long): SnapshotPositions = {
    val end = all.map(_.positions.last + 1).max
    val positions = new Array[Long](Math.toIntExact(end.min(count)))
    val snapshots = new Array[Long](positions.length)
    val smallest = new Array[Long](BlockSize)
    val next = new Array[Int](all.length)
    // Plain loops here and below: thirty delete files may each name millions of rows again.
    var size = 0
    var block = 0L
    while (block < end) {
      Arrays.fill(smallest, Long.MaxValue)
      all.indices.foreach(at => next(at) = all(at).lower(smallest, block, next(at)))
      var offset = 0
      while (offset < BlockSize) {
        if (smallest(offset) != Long.MaxValue) {
          positions(size) = block + offset
          snapshots(size) = smallest(offset)
          size += 1
        }
        offset += 1
      }
      block += BlockSize
    }
    new SnapshotPositions(Arrays.copyOf(positions, size), Arrays.copyOf(snapshots, size))
  }

  private def merged(
      left: Array[Long],
      leftSnapshots: Array[Long],
      right: Array[Long],
      rightSnapshots: Array[Long],
  ): SnapshotPositions = {
    // A plain loop: a delete file and its successor may both name millions of rows.
    val positions = new Array[Long](left.length + right.length)
    val snapshots = new Array[Long](left.length + right.length)
    var (fromLeft, fromRight, size) = (0, 0, 0)
    while (fromLeft < left.length || fromRight < right.length) {
      val first = if (fromLeft < left.length) left(fromLeft) else Long.MaxValue
      val second = if (fromRight < right.length) right(fromRight) else Long.MaxValue
      positions(size) = math.min(first, second)
      val ofLeft = if (first <= second) leftSnapshots(fromLeft) else Long.MaxValue
      val ofRight = if (second <= first) rightSnapshots(fromRight) else Long.MaxValue
      snapshots(size) = math.min(ofLeft, ofRight)
      if (first <= second) fromLeft += 1
      if (second <= first) fromRight += 1
      size += 1
    }
    new SnapshotPositions(Arrays.copyOf(positions, size), Arrays.copyOf(snapshots, size))
  }

  private def isStrictlyIncreasing(positions: Array[Long]): Boolean = {
    // A plain loop: there may be millions of rows.
    var at = 1
    while (at < positions.length && positions(at - 1) < positions(at)) at += 1
    at >= positions.length
  }

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
