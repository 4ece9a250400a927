package ducklake.catalog

import ducklake.catalog.listing.ColumnSummary
import ducklake.catalog.listing.FileListing
import ducklake.catalog.listing.FileRequest
import ducklake.catalog.listing.TableCounts
import ducklake.catalog.model.DataFile
import ducklake.catalog.model.LakeTable
import ducklake.catalog.staged.Uncommitted
import ducklake.catalog.types.ColumnId
import ducklake.catalog.types.DataFileId
import ducklake.catalog.types.TableId

import scala.annotation.unused

/** Replaces parts of a snapshot's answers, for a statement or a transaction that has changes of its
  * own which are not committed yet, or that looks at some files only. What has no method here does
  * not pass through it: entries of commits, the change feed, `table_info` and the names of
  * relations show what is committed. See [[LakeSnapshot.seenThrough]].
  */
trait SnapshotOverlay {

  /** The transaction whose changes are shown, if it is one. */
  def uncommitted: Option[Uncommitted] = None

  /** The transaction, when it changed rows of the table, with the generation of the change. */
  def uncommitted(@unused table: TableId): Option[Uncommitted] = None

  /** A table that was found, as the statement sees it. */
  def table(found: LakeTable): LakeTable = found

  /** @param next one more than any column id of the table in the catalog */
  def nextColumnId(@unused table: LakeTable, next: ColumnId): ColumnId = next

  /** @param found lists the files below the overlay */
  def files(@unused table: LakeTable, request: FileRequest)(
      found: FileRequest => FileListing
  ): FileListing = found(request)

  def filesById(@unused table: LakeTable, ids: Vector[DataFileId])(
      found: Vector[DataFileId] => Vector[DataFile]
  ): Vector[DataFile] = found(ids)

  def counts(@unused table: LakeTable)(found: => TableCounts): TableCounts = found

  def columnSummaries(@unused table: LakeTable)(
      found: => Map[ColumnId, ColumnSummary]
  ): Map[ColumnId, ColumnSummary] = found
}
