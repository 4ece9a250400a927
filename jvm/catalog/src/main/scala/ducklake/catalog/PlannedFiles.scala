package ducklake.catalog

import ducklake.catalog.change.operation.NewDeleteFile
import ducklake.catalog.change.operation.Operation
import ducklake.catalog.change.operation.RegisteredFile
import ducklake.catalog.listing.FileListing
import ducklake.catalog.listing.FileRequest
import ducklake.catalog.model.DataFile
import ducklake.catalog.model.DeleteFile
import ducklake.catalog.model.DeleteFormat
import ducklake.catalog.model.FileEncryption
import ducklake.catalog.model.LakePath
import ducklake.catalog.model.LakeTable
import ducklake.catalog.model.NameMapping
import ducklake.catalog.model.PhysicalFile
import ducklake.catalog.model.UncommittedIds
import ducklake.catalog.staged.StagedFile
import ducklake.catalog.staged.StagedRegistration
import ducklake.catalog.staged.Uncommitted
import ducklake.catalog.types.DataFileId
import ducklake.catalog.types.DeleteFileId
import ducklake.catalog.types.MappingId
import ducklake.catalog.types.SnapshotId
import ducklake.catalog.types.TableId

import java.util.UUID

/** Shows one table as a commit of these operations would leave it, so that its rows can be read
  * before. The table has no inlined rows, and is read without filters.
  *
  * @param base on which the commit would be made
  * @param register whose table may be new
  */
final class PlannedFiles(
    base: SnapshotId,
    register: Operation.RegisterFiles,
    deletes: Option[Operation.DeleteRows],
) extends SnapshotOverlay {

  private val table = register.table
  private val own = Uncommitted(UUID.randomUUID(), generation = 1L)
  private val isNew = UncommittedIds.contains(table.id.value)

  override def uncommitted: Option[Uncommitted] = Some(own)

  override def uncommitted(id: TableId): Option[Uncommitted] = Option.when(id == table.id)(own)

  override def hadRegisteredFiles(other: LakeTable)(found: => Boolean): Boolean =
    other.id == table.id || found

  override def files(other: LakeTable, request: FileRequest)(
      found: FileRequest => FileListing
  ): FileListing =
    if (other.id != table.id) found(request)
    else {
      val before = if (isNew) nothing(request) else found(request.copy(enoughRows = None))
      val left = before.files.filterNot(file => ended(file.id)).map(withDeletes)
      val all = left ++ added
      before.copy(
        files = all,
        listedFiles = all.size.toLong,
        listedBytes = all.map(_.sizeBytes).sum,
        mappings = before.mappings ++ mappings.map(one => one.id -> one),
      )
    }

  private def nothing(request: FileRequest): FileListing = {
    request.inlined.foreach(_.receiver.begin())
    FileListing(Vector.empty, 0L, 0L, Map.empty, Map.empty, _ => false, _ => false)
  }

  private val ended = deletes.fold(Set.empty[DataFileId])(_.endedFiles.toSet)
  private val replaced =
    deletes.fold(Map.empty[DataFileId, NewDeleteFile])(
      _.deleteFiles.map(f => f.dataFile -> f).toMap
    )

  private def withDeletes(file: DataFile): DataFile =
    replaced.get(file.id).fold(file) { one =>
      file.copy(deleteFiles = Vector(deleteFile(one.path, one.deleteCount, one.physical)))
    }

  private val mappings = register.mappings.zipWithIndex.map { case (columns, at) =>
    NameMapping(MappingId(UncommittedIds.First + at), columns)
  }

  private lazy val added: Vector[DataFile] =
    register.files
      .scanLeft(UncommittedIds.First)(_ + 1 + _.recordCount)
      .zip(register.files)
      .map { case (id, file) => listed(id, file) }

  private def listed(id: Long, file: RegisteredFile): DataFile = {
    val known = StagedRegistration(file.path, file.mapping.map(mappings), register.checkedBelow)
    StagedFile(DataFileId(id), file.data, firstRowId = id + 1, table, Some(known))
      .listed(table.columns)
      .copy(deleteFiles =
        file.deletes.toVector.map(one => deleteFile(one.path, one.deleteCount, one.physical))
      )
  }

  private def deleteFile(path: String, count: Long, physical: PhysicalFile): DeleteFile =
    DeleteFile(
      DeleteFileId(UncommittedIds.First),
      LakePath(path, isRelative = true).fileIn(table.directory),
      DeleteFormat.ParquetPositions,
      count,
      physical.sizeBytes,
      Some(physical.footerSize),
      base,
      FileEncryption.Absent,
    )
}
