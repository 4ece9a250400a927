package ducklake.catalog

import ducklake.catalog.listing.FileListing
import ducklake.catalog.listing.FileRequest
import ducklake.catalog.model.LakeTable
import ducklake.catalog.types.ColumnId

import scala.annotation.unused

/** Replaces parts of a snapshot's answers, for a statement that has changes of its own which are
  * not committed yet, or that looks at some files only. Tables, listings of files and the next
  * column id pass through it. Counts, statistics, `filesById` and the names of relations do not.
  * See [[LakeSnapshot.seenThrough]].
  */
trait SnapshotOverlay {

  /** A table that was found, as the statement sees it. */
  def table(found: LakeTable): LakeTable = found

  /** @param next one more than any column id of the table in the catalog */
  def nextColumnId(@unused table: LakeTable, next: ColumnId): ColumnId = next

  /** @param found the files in the catalog; they are read only when they are needed */
  def files(@unused table: LakeTable, @unused request: FileRequest)(
      found: => FileListing
  ): FileListing = found
}
