package ducklake.spark.maintenance.rollback

import ducklake.catalog.SnapshotOverlay
import ducklake.catalog.listing.FileListing
import ducklake.catalog.listing.FileRequest
import ducklake.catalog.model.LakeTable
import ducklake.catalog.types.DataFileId

/** Answers from one listing of a table, with some of its files and no inlined rows. A second
  * listing might differ, because compactions move the rows of past snapshots.
  */
private[rollback] final class ListedFiles(listing: FileListing, files: Set[DataFileId])
    extends SnapshotOverlay {

  private val wanted = listing.files.filter(file => files(file.id))

  override def files(table: LakeTable, request: FileRequest)(
      found: FileRequest => FileListing
  ): FileListing =
    listing.copy(
      files = wanted,
      listedFiles = wanted.size.toLong,
      listedBytes = wanted.map(_.sizeBytes).sum,
      isPruned = _ => false,
      fullMatches = _ => false,
    )
}
