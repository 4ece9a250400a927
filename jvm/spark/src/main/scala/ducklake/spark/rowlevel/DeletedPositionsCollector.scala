package ducklake.spark.rowlevel

import scala.collection.mutable

/** The places of rows that go, by data file. One task fills it on one thread. */
private[rowlevel] final class DeletedPositionsCollector {

  private val byFile = mutable.LongMap.empty[mutable.ArrayBuilder[Long]]
  private var lastFile = -2L
  private var last: mutable.ArrayBuilder[Long] = Array.newBuilder[Long]

  def add(file: Long, place: Long): Unit = {
    // Rows come file by file as a rule: the map is asked once for each.
    if (file != lastFile) {
      last = byFile.getOrElseUpdate(file, Array.newBuilder[Long])
      lastFile = file
    }
    last += place
  }

  def result(): Map[Long, Array[Long]] =
    byFile.iterator.map { case (file, places) => file -> places.result() }.toMap
}
