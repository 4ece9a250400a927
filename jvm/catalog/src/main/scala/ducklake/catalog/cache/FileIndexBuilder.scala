package ducklake.catalog.cache

import ducklake.catalog.model.Snapshot
import ducklake.catalog.types.ColumnId

import scala.collection.immutable.VectorMap

/** Builds a [[FileIndex]]. Mutable, for one thread. */
final class FileIndexBuilder {
  private val ids = new LongBuffer
  private val sizes = new LongBuffer
  private val partitions = new LongBuffer
  private var isSorted = true
  private var last = Long.MinValue
  private var isPartitioned = false

  /** @param partition negative for a file without partition values */
  def add(id: Long, sizeBytes: Long, partition: Long): Unit = {
    isSorted = isSorted && id > last
    isPartitioned = isPartitioned || partition >= 0
    last = id
    ids.add(id)
    sizes.add(sizeBytes)
    partitions.add(partition)
  }

  /** An index without statistics. */
  def build(at: Snapshot, checkedAt: Snapshot): FileIndex = {
    val layout = if (isPartitioned) partitions.toArray else Array.empty[Long]
    val columns = VectorMap.empty[ColumnId, ColumnIndex]
    if (isSorted)
      new FileIndex(at, checkedAt, ids.toArray, sizes.toArray, layout, columns, None)
    else {
      val unsorted = ids.toArray
      val order = unsorted.indices.sortBy(unsorted(_)).toArray
      def sorted(values: Array[Long]) = if (values.isEmpty) values else order.map(values(_))
      val allSizes = sizes.toArray
      new FileIndex(
        at,
        checkedAt,
        sorted(unsorted),
        sorted(allSizes),
        sorted(layout),
        columns,
        None,
      )
    }
  }

  /** Adds the files of an older index, except the files that have ended. */
  def addAll(older: FileIndex, ended: Set[Long]): Unit =
    older.ids.indices.foreach { at =>
      if (!ended(older.ids(at))) {
        val partition = if (older.isPartitioned) older.partitionIds(at) else -1L
        add(older.ids(at), older.sizes(at), partition)
      }
    }
}
