package ducklake.spark.delete

import ducklake.catalog.SnapshotOverlay
import ducklake.catalog.listing.FileListing
import ducklake.catalog.listing.FileRequest
import ducklake.catalog.model.LakeTable
import ducklake.catalog.model.DataFile

/** Lists only some data files, for a search in these files. */
private[delete] final class ChosenFiles(isWanted: DataFile => Boolean) extends SnapshotOverlay {

  override def files(table: LakeTable, request: FileRequest)(
      found: FileRequest => FileListing
  ): FileListing = {
    val listing = found(request)
    listing.copy(files = listing.files.filter(isWanted))
  }
}
