package ducklake.catalog.staged

import scala.collection.immutable.ArraySeq

/** Positions of rows in a file, increasing, in one array: a file may have millions. */
object Positions {

  val none: ArraySeq[Long] = ArraySeq.unsafeWrapArray(Array.emptyLongArray)

  /** The positions of both, which have none in common. */
  def union(one: IndexedSeq[Long], other: IndexedSeq[Long]): ArraySeq[Long] =
    if (one.isEmpty && other.isEmpty) none
    else {
      val all = new Array[Long](one.length + other.length)
      val _ = (one.copyToArray(all), other.copyToArray(all, one.length))
      java.util.Arrays.sort(all)
      ArraySeq.unsafeWrapArray(all)
    }
}
