package ducklake.catalog.cache

import ducklake.catalog.model.Snapshot
import ducklake.catalog.types.ColumnId

import java.util.Arrays

import scala.collection.immutable.VectorMap

/** The data files of a table that are visible at a snapshot, in packed arrays, with the statistics
  * that reads have needed so far. Immutable. Files are in the order of their ids.
  *
  * @param at the snapshot at which the files are visible
  * @param checkedAt the newest snapshot at which these files were found to be unchanged
  * @param columns in the order of their last use
  */
final class FileIndex(
    val at: Snapshot,
    val checkedAt: Snapshot,
    val ids: Array[Long],
    val sizes: Array[Long],
    val partitionIds: Array[Long],
    val columns: VectorMap[ColumnId, ColumnIndex],
    val buckets: Option[BucketIndex],
) {
  def size: Int = ids.length

  lazy val totalBytes: Long = sizes.sum

  def isPartitioned: Boolean = partitionIds.length > 0

  /** Approximate size in memory, in bytes. */
  def weight: Long =
    200L + 8L * (ids.length + sizes.length + partitionIds.length) +
      columns.valuesIterator.map(_.bytes).sum + buckets.fold(0L)(_.bytes)

  /** The position of a file, or a negative number.
    *
    * @param guess the probable position: rows usually come in the order of ids
    */
  def position(id: Long, guess: Int): Int =
    if (guess >= 0 && guess < ids.length && ids(guess) == id) guess
    else Arrays.binarySearch(ids, id)

  def checked(newest: Snapshot): FileIndex =
    new FileIndex(at, newest, ids, sizes, partitionIds, columns, buckets)

  /** The index with these columns, which count as used now. */
  def withColumns(added: Map[ColumnId, ColumnIndex]): FileIndex =
    withKnown(columns.filterNot { case (id, _) => added.contains(id) } ++ added, buckets)

  def withBuckets(added: BucketIndex): FileIndex = withKnown(columns, Some(added))

  /** The same index; these columns, as far as it has them, count as used now. */
  def using(used: Set[ColumnId]): FileIndex = {
    val found = columns.filter { case (id, _) => used(id) }
    if (columns.keysIterator.drop(columns.size - found.size).forall(used)) this
    else withColumns(found)
  }

  /** The index without as many columns as make it heavier than the limit: first those that were not
    * used for longest, then the buckets. What is used now stays, whatever its weight.
    */
  def within(limit: Long, used: Set[ColumnId]): FileIndex = {
    val spare = columns.toVector.filterNot { case (id, _) => used(id) }
    val excess = spare.scanLeft(weight - limit) { case (left, (_, column)) => left - column.bytes }
    val dropped = spare.zip(excess).takeWhile(_._2 > 0).map { case ((id, _), _) => id }.toSet
    val isWithin = excess(dropped.size) <= 0
    val known = buckets.filter(some => isWithin || BucketIndex.columns(some.specs).exists(used))
    if (dropped.isEmpty && known == buckets) this
    else withKnown(columns.filterNot { case (id, _) => dropped(id) }, known)
  }

  private def withKnown(
      columns: VectorMap[ColumnId, ColumnIndex],
      buckets: Option[BucketIndex],
  ): FileIndex = new FileIndex(at, checkedAt, ids, sizes, partitionIds, columns, buckets)
}

/** A growing array of longs, for one thread. */
final class LongBuffer {
  private var content = new Array[Long](256)
  private var used = 0

  def add(value: Long): Unit = {
    if (used == content.length) content = Arrays.copyOf(content, used * 2)
    content(used) = value
    used += 1
  }

  def size: Int = used

  def toArray: Array[Long] = Arrays.copyOf(content, used)
}
