package ducklake.catalog

import ducklake.catalog.listing.FileListing
import ducklake.catalog.listing.FileRequest
import ducklake.catalog.model.LakeTable
import ducklake.catalog.types.ColumnId

import scala.annotation.unused

/** What a statement sees otherwise than the catalog has it, such as its own changes that are not
  * committed yet. See [[LakeSnapshot.seenThrough]].
  */
trait SnapshotOverlay {

  /** A table that was found, as the statement sees it. */
  def table(found: LakeTable): LakeTable = found

  /** @param next one more than any column id of the table in the catalog */
  def nextColumnId(@unused table: LakeTable, next: ColumnId): ColumnId = next

  /** @param found the files in the catalog; they are read only when they are needed */
  def files(@unused request: FileRequest)(found: => FileListing): FileListing = found
}
