package ducklake.spark.delete

import ducklake.catalog.LakeSnapshot
import ducklake.catalog.change.NewDeleteFile
import ducklake.catalog.change.Operation
import ducklake.catalog.error.LakeError
import ducklake.catalog.error.LakeException
import ducklake.catalog.model.DataFile
import ducklake.catalog.model.DataFileId
import ducklake.catalog.model.LakeTable
import ducklake.catalog.model.RowVisibility
import ducklake.files.DeleteFileCache
import ducklake.files.DeleteFileKey
import ducklake.files.DeleteFileWriter
import ducklake.files.DeletedPositions
import ducklake.files.FileNames
import ducklake.files.PathResolver
import ducklake.spark.session.WrittenFiles
import org.apache.hadoop.conf.Configuration

/** Single rows that a statement takes away.
  *
  * @param positions in data files
  * @param inlined row ids of rows that are kept in the catalog
  */
final case class RemovedRows(
    positions: Map[DataFileId, DeletedPositions],
    inlined: Vector[Long],
) {
  def isEmpty: Boolean = positions.forall(_._2.isEmpty) && inlined.isEmpty
}

/** Turns single rows that go into what a commit does: a file that loses all its rows ends; of one that
  * loses few, the catalog names them; any other gets a delete file with all that is deleted of it, in
  * place of the one it had.
  *
  * Source: format 6.4, scheme B; 6.6; 6.7.
  *
  * @param inliningRowLimit positions of a file that the catalog itself may name as deleted
  */
final class RowRemoval(
    table: LakeTable,
    base: LakeSnapshot,
    inliningRowLimit: Long,
    conf: Configuration,
) {

  private val paths = PathResolver(None)

  /** Writes the delete files. When that fails, those that were written are deleted again. */
  def write(removed: RemovedRows): (Operation.DeleteRows, WrittenFiles) = {
    val touched = filesOf(removed.positions.filterNot { case (_, gone) => gone.isEmpty })
    val (ended, kept) = touched.partition { case (file, gone) => covers(file, gone) }
    val counts = deleteFileCounts(kept)
    val (few, many) = kept.partition { case (file, gone) =>
      gone.size <= inliningRowLimit && counts.getOrElse(file.id, 0L) < 2
    }
    val named = many.map { case (file, gone) => (file, after(file, gone), FileNames.deleteFile()) }
    val written = WrittenFiles(named.map { case (_, _, name) => pathOf(name) })
    val deletes =
      try named.map { case (file, gone, name) => deleteFile(file, gone, name) }
      catch {
        case failure: Throwable =>
          written.delete()
          throw failure
      }
    val operation = Operation.DeleteRows(
      table,
      ended.map(_._1.id),
      deletes,
      few.map { case (file, gone) => file.id -> gone.toVector }.toMap,
      removed.inlined,
    )
    (operation, written)
  }

  /** Errors: CommitConflict when a compaction has put others in their place since they were read. */
  private def filesOf(
      positions: Map[DataFileId, DeletedPositions]
  ): Vector[(DataFile, DeletedPositions)] = {
    val there = base.filesById(table, positions.keys.toVector.sortBy(_.value))
    if (there.size < positions.size)
      throw new LakeException(
        LakeError.CommitConflict(
          s"it wants to delete from ${table.qualifiedName}, and another commit compacted files of it " +
            "since it began"
        )
      )
    there.map(file => file -> positions(file.id))
  }

  /** Whether nothing is left, and the file may end. What the delete file has is counted first, and looked
    * at when the count says that nothing is left.
    */
  private def covers(file: DataFile, gone: DeletedPositions): Boolean =
    RowRemoval.mayEnd(file) &&
      file.deleteFile.fold(0L)(_.deleteCount) + gone.size >= file.recordCount &&
      after(file, gone).size >= file.recordCount

  /** Asked for files that few rows are deleted of. Once a file has had two delete files, DuckDB's change
    * feed tells of each position in the catalog twice.
    */
  private def deleteFileCounts(
      kept: Vector[(DataFile, DeletedPositions)]
  ): Map[DataFileId, Long] = {
    val asked = kept.collect {
      case (file, gone) if file.deleteFile.nonEmpty && gone.size <= inliningRowLimit => file.id
    }
    if (asked.isEmpty) Map.empty else base.deleteFileCounts(table, asked)
  }

  /** All that the delete file is to name. */
  private def after(file: DataFile, positions: DeletedPositions): DeletedPositions = {
    val before = file.deleteFile.fold(DeletedPositions.empty) { old =>
      val path = paths.hadoopPath(old.path)
      val key = DeleteFileKey(path, old.sizeBytes, old.format, base.snapshot.id.value)
      DeleteFileCache.positions(key, table.qualifiedName, conf)
    }
    before.union(positions).minus(DeletedPositions(file.inlinedDeletes.toArray))
  }

  private def deleteFile(file: DataFile, gone: DeletedPositions, name: String): NewDeleteFile = {
    val written =
      DeleteFileWriter.write(pathOf(name), file.path, gone, table.qualifiedName, conf)
    NewDeleteFile(
      file.id,
      file.deleteFile.map(_.id),
      name,
      gone.size.toLong,
      written.sizeBytes,
      written.footerSize,
    )
  }

  private def pathOf(name: String): String = paths.hadoopPath(table.directory + name)
}

object RowRemoval {

  /** Whether a file may end when all rows go that are seen of it. One with rows that the catalog had
    * deleted before stays: DuckDB's change feed would tell of them once more. So does one that also
    * holds rows of later snapshots.
    */
  def mayEnd(file: DataFile): Boolean =
    file.inlinedDeletes.isEmpty && file.visibility == RowVisibility.All
}
