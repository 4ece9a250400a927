package ducklake.spark.delete

import ducklake.catalog.SnapshotOverlay
import ducklake.catalog.model.DataFile
import ducklake.catalog.read.file.FileListing
import ducklake.catalog.read.file.FileRequest

/** Lists only some data files, for a search in these files. */
private[delete] final class ChosenFiles(isWanted: DataFile => Boolean) extends SnapshotOverlay {

  override def files(request: FileRequest)(found: => FileListing): FileListing = {
    val listing = found
    listing.copy(files = listing.files.filter(isWanted))
  }
}
