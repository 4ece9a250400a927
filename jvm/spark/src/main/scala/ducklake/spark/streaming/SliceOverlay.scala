package ducklake.spark.streaming

import ducklake.catalog.SnapshotOverlay
import ducklake.catalog.listing.FileListing
import ducklake.catalog.listing.FileRequest
import ducklake.catalog.model.LakeTable
import ducklake.catalog.model.RowSlice

/** Shows the rows of a slice only.
  *
  * @param refuse is called when files of which a part was read were replaced since
  */
private[streaming] final class SliceOverlay(slice: RowSlice, refuse: () => Nothing)
    extends SnapshotOverlay {

  override def files(table: LakeTable, request: FileRequest)(
      found: FileRequest => FileListing
  ): FileListing = {
    val listing = found(request.copy(slice = Some(slice)))
    if (!listing.keepsPlaces) refuse()
    listing
  }
}
