package ducklake.catalog.model

import scala.collection.Searching.SearchResult
import scala.collection.immutable.ArraySeq

/** The snapshots that a lake had at one moment: 8 bytes for each.
  *
  * @param ids increasing
  */
final case class KeptSnapshots(ids: ArraySeq[Long]) {

  /** Whether no snapshot of the lake sees a metadata row any more, and no later snapshot will. A
    * row that lives, or that ended after the newest of these snapshots, counts as seen: snapshots
    * that were made since may see it.
    */
  def isUnseen(row: Lifetime): Boolean =
    row.end.exists { end =>
      val found: SearchResult = ids.search(row.begin.value)
      val next = found.insertionPoint
      ids.lastOption.exists(_ >= end.value) && (next >= ids.size || ids(next) >= end.value)
    }
}
