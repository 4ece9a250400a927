package ducklake.spark.maintenance.flush

import ducklake.catalog.listing.RowVersion
import ducklake.catalog.listing.RowVersionReceiver

import scala.collection.mutable

/** Collects the row versions of an inlined table while they fit into one page, so that the driver
  * writes them without a task. When there are more, all of them go to pages. For one thread.
  */
private[flush] final class FewVersions(pages: FlushPages) extends RowVersionReceiver {
  private val kept = mutable.ArrayBuffer.empty[RowVersion]
  private var bytes = 0L
  private var areMany = false

  def begin(): Unit = {
    kept.clear()
    bytes = 0L
    areMany = false
    pages.begin()
  }

  def add(version: RowVersion): Unit =
    if (areMany) pages.add(version)
    else {
      kept += version
      bytes += FlushPages.sizeOf(version)
      if (kept.size > FlushPages.PageRows || bytes > FlushPages.PageBytes) {
        areMany = true
        kept.foreach(pages.add)
        kept.clear()
      }
    }

  /** All versions, ordered by row id and begin snapshot. None when they are in the pages. */
  def all: Option[Vector[RowVersion]] = Option.when(!areMany)(kept.toVector)
}
