package ducklake.spark.delete

import ducklake.catalog.ForwardingSnapshot
import ducklake.catalog.LakeSnapshot
import ducklake.catalog.model.DataFile
import ducklake.catalog.model.LakeTable
import ducklake.catalog.read.file.FileListing
import ducklake.catalog.read.file.FileRequest

/** A snapshot that lists only some data files, for a search in these files. */
private[delete] final class FilteredSnapshot(base: LakeSnapshot, isWanted: DataFile => Boolean)
    extends ForwardingSnapshot(base) {

  override def files(table: LakeTable, request: FileRequest): FileListing = {
    val listing = super.files(table, request)
    listing.copy(files = listing.files.filter(isWanted))
  }
}
