package ducklake.spark.streaming

import ducklake.catalog.SnapshotOverlay
import ducklake.catalog.listing.FileListing
import ducklake.catalog.listing.FileRequest
import ducklake.catalog.listing.InlinedReceiver
import ducklake.catalog.listing.InlinedRow
import ducklake.catalog.model.LakeTable

/** Shows the rows of a slice only.
  *
  * @param refuse is called when files of which a part was read were replaced since
  */
private[streaming] final class SliceOverlay(slice: RowSlice, refuse: () => Nothing)
    extends SnapshotOverlay {

  override def files(table: LakeTable, request: FileRequest)(
      found: FileRequest => FileListing
  ): FileListing = {
    val inlined = request.inlined.map { asked =>
      asked.copy(receiver = new SliceReceiver(slice, asked.receiver))
    }
    val listing = found(request.copy(inlined = inlined))
    if (!(slice.from +: slice.to.toVector).forall(_.isIn(listing.files))) refuse()
    listing.copy(files = listing.files.flatMap(slice.of))
  }
}

private final class SliceReceiver(slice: RowSlice, under: InlinedReceiver) extends InlinedReceiver {

  def begin(): Unit = under.begin()

  def add(row: InlinedRow): Unit = if (slice.hasInlined(row.begin)) under.add(row)
}
