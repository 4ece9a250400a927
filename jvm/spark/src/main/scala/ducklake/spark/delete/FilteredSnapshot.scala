package ducklake.spark.delete

import ducklake.catalog.ForwardingSnapshot
import ducklake.catalog.LakeSnapshot
import ducklake.catalog.model.DataFile
import ducklake.catalog.model.LakeTable
import ducklake.catalog.read.FileListing
import ducklake.catalog.read.FileRequest

/** A snapshot of which a search looks into some data files only. */
private[delete] final class FilteredSnapshot(under: LakeSnapshot, isWanted: DataFile => Boolean)
    extends ForwardingSnapshot(under) {

  override def files(table: LakeTable, request: FileRequest): FileListing = {
    val listing = super.files(table, request)
    listing.copy(files = listing.files.filter(isWanted))
  }
}
