package ducklake.spark.rowlevel

import scala.collection.mutable

/** Collects the positions of deleted rows by data file. One task fills it on one thread. */
private[rowlevel] final class DeletedPositionsCollector {

  private val byFile = mutable.LongMap.empty[mutable.ArrayBuilder[Long]]
  private var lastFile = -2L
  private var last: mutable.ArrayBuilder[Long] = Array.newBuilder[Long]

  def add(file: Long, position: Long): Unit = {
    // Rows usually come file by file, so the map is asked once for each file.
    if (file != lastFile) {
      last = byFile.getOrElseUpdate(file, Array.newBuilder[Long])
      lastFile = file
    }
    last += position
  }

  def result(): Map[Long, Array[Long]] =
    byFile.iterator.map { case (file, positions) => file -> positions.result() }.toMap
}
