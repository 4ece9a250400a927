package ducklake.spark.read.top

import ducklake.catalog.listing.FileListing
import ducklake.catalog.model.DataFile
import ducklake.catalog.predicate.Predicate
import ducklake.catalog.pruning.FirstRows
import ducklake.catalog.pruning.OrderedFile
import ducklake.catalog.listing.LiveRowCount
import ducklake.spark.read.ScanRequest

/** The files of a scan, without those that hold none of the first rows when only these are wanted.
  *
  * @param bound is true for all rows that are wanted; None: not known
  */
private[read] final case class TopFiles(listing: FileListing, bound: Option[Predicate])

private[read] object TopFiles {

  def of(request: ScanRequest, listing: FileListing): TopFiles =
    request.top match {
      case None => TopFiles(listing, None)
      case Some(top) =>
        val first = FirstRows.of(top.order, top.count.toLong, listing.files.map(ordered(listing)))
        val needed = listing.files.zip(first.isNeeded).collect { case (file, true) => file }
        TopFiles(listing.copy(files = needed), first.bound)
    }

  /** Only rows that meet the filters for certain count: Spark may leave out the others. */
  private def ordered(listing: FileListing)(file: DataFile): OrderedFile = {
    def known = listing.bounds.of(file.id)
    val rows = if (listing.fullMatches(file.id)) LiveRowCount.atLeast(file) else 0L
    OrderedFile(rows, file.recordCount, id => known.get(id))
  }
}
