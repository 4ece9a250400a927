package ducklake.catalog.cache

import ducklake.catalog.model.Snapshot
import ducklake.catalog.types.ColumnId

import java.util.Arrays

/** The data files of a table that are visible at a snapshot, in packed arrays, with the statistics
  * that reads have needed so far. Immutable. Files are in the order of their ids.
  *
  * @param at the snapshot at which the files are visible
  * @param checkedAt the newest snapshot at which these files were found to be unchanged
  */
final class FileIndex(
    val at: Snapshot,
    val checkedAt: Snapshot,
    val ids: Array[Long],
    val sizes: Array[Long],
    val partitionIds: Array[Long],
    val columns: Map[ColumnId, ColumnIndex],
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

  def withColumns(added: Map[ColumnId, ColumnIndex]): FileIndex =
    new FileIndex(at, checkedAt, ids, sizes, partitionIds, columns ++ added, buckets)

  def withBuckets(added: BucketIndex): FileIndex =
    new FileIndex(at, checkedAt, ids, sizes, partitionIds, columns, Some(added))
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
