package ducklake.spark.maintenance.rollback

import ducklake.catalog.ForwardingSnapshot
import ducklake.catalog.LakeSnapshot
import ducklake.catalog.model.LakeTable
import ducklake.catalog.read.file.FileListing
import ducklake.catalog.read.file.FileRequest
import ducklake.catalog.types.DataFileId

/** A snapshot that answers from one listing of a table, with some of its files and no inlined rows.
  * A second listing might differ, because compactions move the rows of past snapshots.
  */
private[rollback] final class ListedSnapshot(
    under: LakeSnapshot,
    listing: FileListing,
    files: Set[DataFileId],
) extends ForwardingSnapshot(under) {

  private val wanted = listing.files.filter(file => files(file.id))

  override def files(table: LakeTable, request: FileRequest): FileListing =
    listing.copy(
      files = wanted,
      listedFiles = wanted.size.toLong,
      listedBytes = wanted.map(_.sizeBytes).sum,
      isPruned = _ => false,
      fullMatches = Set.empty,
    )
}
