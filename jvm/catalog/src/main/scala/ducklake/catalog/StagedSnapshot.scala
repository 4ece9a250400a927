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
import ducklake.catalog.staged.StagedLake
import ducklake.catalog.staged.StagedListing
import ducklake.catalog.staged.StagedNames
import ducklake.catalog.staged.StagedTable
import ducklake.catalog.staged.Uncommitted
import ducklake.catalog.types.ColumnId
import ducklake.catalog.types.DataFileId
import ducklake.catalog.types.TableId

import java.util.UUID

/** Shows the changes of a transaction on top of its base snapshot.
  *
  * @param check is called for a table that the transaction has changed, after it was listed
  */
final class StagedSnapshot(transaction: UUID, staged: StagedLake, check: StagedTable => Unit)
    extends SnapshotOverlay {

  override def uncommitted: Option[Uncommitted] = Some(Uncommitted(transaction, staged.generation))

  override def uncommitted(table: TableId): Option[Uncommitted] =
    staged.tables.get(table).map(own => Uncommitted(transaction, own.generation))

  override def table(schema: LakeSchema, name: String)(
      found: => Option[LakeTable]
  ): Option[LakeTable] = names.table(schema, name)(found)

  override def table(id: TableId)(found: => Option[LakeTable]): Option[LakeTable] =
    staged.objects.tables.get(id).fold(found)(_.now)

  override def schemas(found: => Vector[LakeSchema]): Vector[LakeSchema] = names.schemas(found)

  override def relations(schema: LakeSchema)(
      found: => Vector[RelationName]
  ): Vector[RelationName] = names.relations(schema)(found)

  override def view(schema: LakeSchema, name: String)(
      found: => Option[LakeView]
  ): Option[LakeView] = names.view(schema, name)(found)

  override def views(found: => Vector[LakeView]): Vector[LakeView] = names.views(found)

  override def nextColumnId(table: LakeTable)(next: => ColumnId): ColumnId =
    staged.tables.get(table.id).fold(next)(_.nextColumnId(next))

  override def files(table: LakeTable, request: FileRequest)(
      found: FileRequest => FileListing
  ): FileListing =
    staged.tables.get(table.id).fold(found(request)) { own =>
      val listed = new StagedListing(own, table).files(request)(found)
      check(own)
      listed
    }

  override def filesById(table: LakeTable, ids: Vector[DataFileId])(
      found: Vector[DataFileId] => Vector[DataFile]
  ): Vector[DataFile] = listing(table).fold(found(ids))(_.filesById(ids)(found))

  override def hadRegisteredFiles(table: LakeTable)(found: => Boolean): Boolean =
    staged.tables.get(table.id).exists(_.files.exists(_.registered.nonEmpty)) || found

  override def counts(table: LakeTable)(found: => TableCounts): TableCounts =
    listing(table).fold(found)(_.counts(found))

  /** None for a changed table, whose own rows have no place in the index of the files. */
  override def columnSummaries(table: LakeTable)(
      found: => Map[ColumnId, ColumnSummary]
  ): Map[ColumnId, ColumnSummary] = listing(table).fold(found)(_ => Map.empty)

  private val names = new StagedNames(staged.objects)

  private def listing(table: LakeTable): Option[StagedListing] =
    staged.tables.get(table.id).map(new StagedListing(_, table))
}
