package ducklake.catalog

import ducklake.catalog.listing.ColumnSummary
import ducklake.catalog.listing.FileListing
import ducklake.catalog.listing.FileRequest
import ducklake.catalog.listing.TableCounts
import ducklake.catalog.model.DataFile
import ducklake.catalog.model.LakeSchema
import ducklake.catalog.model.LakeTable
import ducklake.catalog.model.LakeView
import ducklake.catalog.model.RelationName
import ducklake.catalog.staged.Uncommitted
import ducklake.catalog.types.ColumnId
import ducklake.catalog.types.DataFileId
import ducklake.catalog.types.TableId

import scala.annotation.unused

/** Replaces parts of a snapshot's answers, for a statement or a transaction that has changes of its
  * own which are not committed yet, or that looks at some files only. What has no method here does
  * not pass through it: entries of commits, the change feed, macros and `table_info` show what is
  * committed. See [[LakeSnapshot.seenThrough]].
  *
  * Each method gets what is found below the overlay, which is read only when it is needed.
  */
trait SnapshotOverlay {

  /** The transaction whose changes are shown, if it is one. */
  def uncommitted: Option[Uncommitted] = None

  /** The transaction, when it changed rows of the table, with the generation of the change. */
  def uncommitted(@unused table: TableId): Option[Uncommitted] = None

  /** A table that was found below, as the statement sees it. */
  def table(found: LakeTable): LakeTable = found

  def table(@unused schema: LakeSchema, @unused name: String)(
      found: => Option[LakeTable]
  ): Option[LakeTable] = found.map(table)

  def table(@unused id: TableId)(found: => Option[LakeTable]): Option[LakeTable] =
    found.map(table)

  def schemas(found: => Vector[LakeSchema]): Vector[LakeSchema] = found

  def relations(@unused schema: LakeSchema)(found: => Vector[RelationName]): Vector[RelationName] =
    found

  def view(@unused schema: LakeSchema, @unused name: String)(
      found: => Option[LakeView]
  ): Option[LakeView] = found

  def views(found: => Vector[LakeView]): Vector[LakeView] = found

  /** @param next one more than any column id of the table below */
  def nextColumnId(@unused table: LakeTable)(next: => ColumnId): ColumnId = next

  def files(@unused table: LakeTable, request: FileRequest)(
      found: FileRequest => FileListing
  ): FileListing = found(request)

  def filesById(@unused table: LakeTable, ids: Vector[DataFileId])(
      found: Vector[DataFileId] => Vector[DataFile]
  ): Vector[DataFile] = found(ids)

  def hadRegisteredFiles(@unused table: LakeTable)(found: => Boolean): Boolean = found

  def counts(@unused table: LakeTable)(found: => TableCounts): TableCounts = found

  def columnSummaries(@unused table: LakeTable)(
      found: => Map[ColumnId, ColumnSummary]
  ): Map[ColumnId, ColumnSummary] = found
}
