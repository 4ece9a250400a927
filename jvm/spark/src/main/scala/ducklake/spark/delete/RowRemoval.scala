package ducklake.spark.delete

import ducklake.catalog.LakeSnapshot
import ducklake.catalog.change.NewDeleteFile
import ducklake.catalog.change.Operation
import ducklake.catalog.error.LakeError
import ducklake.catalog.error.LakeException
import ducklake.catalog.model.DataFile
import ducklake.catalog.model.DataFileId
import ducklake.catalog.model.DeleteFileId
import ducklake.catalog.model.LakeTable
import ducklake.catalog.model.RowVisibility
import ducklake.files.AttemptNames
import ducklake.files.CompressedPositions
import ducklake.files.FileNames
import ducklake.files.PathResolver
import ducklake.files.StoredDeletes
import ducklake.spark.session.WrittenFiles
import org.apache.hadoop.conf.Configuration
import org.roaringbitmap.longlong.Roaring64Bitmap

import scala.collection.immutable.ArraySeq

/** Single rows that a statement deletes.
  *
  * @param positions by data file
  * @param inlined row ids of inlined rows
  */
final case class RemovedRows(
    positions: Map[DataFileId, CompressedPositions],
    inlined: ArraySeq[Long],
) {
  def isEmpty: Boolean = positions.forall(_._2.isEmpty) && inlined.isEmpty
}

object RemovedRows {

  /** Row ids that several tasks have found, increasing, each once. A bitmap and an array and no
    * objects, because they may be millions.
    */
  def rowIds(found: Vector[Array[Long]]): ArraySeq[Long] = {
    val all = new Roaring64Bitmap
    found.foreach(_.foreach(all.addLong))
    ArraySeq.unsafeWrapArray(all.toArray)
  }
}

/** Turns deleted rows into an operation. A data file is ended when all its rows are deleted. When
  * few rows of a data file are deleted, their positions are inlined in the catalog. Any other data
  * file gets a delete file with all its deleted positions, which replaces its old ones.
  *
  * Source: format 6.4, scheme B; 6.6; 6.7.
  *
  * @param inliningRowLimit how many deleted positions of a data file may be inlined in the catalog
  */
final class RowRemoval(
    table: LakeTable,
    base: LakeSnapshot,
    inliningRowLimit: Long,
    conf: Configuration,
) {

  private val paths = PathResolver(None)
  private val directory = paths.hadoopPath(table.directory)

  /** Writes the delete files. When that fails, the delete files that were written are deleted
    * again.
    */
  def write(removed: RemovedRows): (Operation.DeleteRows, WrittenFiles) = {
    val touched = filesOf(removed.positions.filterNot { case (_, positions) => positions.isEmpty })
    val (ended, kept) = touched.partition { case (file, positions) =>
      file.deleteFiles.isEmpty && mayEmpty(file, positions)
    }
    val counts = deleteFileCounts(kept)
    val (small, large) = kept.partition { case (file, positions) =>
      positions.size <= inliningRowLimit && counts.getOrElse(file.id, 0L) < 2 &&
      !mayEmpty(file, positions)
    }
    val isBounded = small.iterator.map(_._2.size).sum <= RowRemoval.MostInlined
    val (few, many) = if (isBounded) (small, large) else (Vector.empty, kept)
    val job = new DeleteFileJob(directory, table.qualifiedName, conf)
    val done = job.write(many.map { case (file, positions) => change(file, positions) })
    val previous = many.map { case (file, _) => file.id -> file.deleteFiles.map(_.id) }.toMap
    val operation = Operation.DeleteRows(
      table,
      ended.map(_._1.id) ++ done.filter(_.written.isEmpty).map(_.file),
      done.flatMap(each => each.written.map(newFile(each.file, previous(each.file), _))),
      few.map { case (file, positions) => file.id -> positions.positions.toVector }.toMap,
      removed.inlined,
    )
    (operation, WrittenFiles(done.flatMap(_.written).map(directory + _.name)))
  }

  /** The data files with deleted positions. Errors: CommitConflict when a compaction has replaced
    * some of them since they were read.
    */
  private def filesOf(
      positions: Map[DataFileId, CompressedPositions]
  ): Vector[(DataFile, CompressedPositions)] = {
    val found = base.filesById(table, positions.keys.toVector.sortBy(_.value))
    if (found.size < positions.size)
      throw new LakeException(
        LakeError.CommitConflict(
          s"it wants to delete from ${table.qualifiedName}, and another commit compacted files of it " +
            "since it began"
        )
      )
    found.map(file => file -> positions(file.id))
  }

  /** Whether all rows may be deleted by the counts. They are, when the file has no delete file;
    * else the positions in both tell.
    */
  private def mayEmpty(file: DataFile, positions: CompressedPositions): Boolean =
    RowRemoval.mayEnd(file) &&
      file.deleteCount + positions.size >= file.recordCount

  /** How many delete files each data file has had, for files of which few rows are deleted. After
    * two delete files, DuckDB's change feed reports each inlined position of a data file twice.
    */
  private def deleteFileCounts(
      kept: Vector[(DataFile, CompressedPositions)]
  ): Map[DataFileId, Long] = {
    val candidates = kept.collect {
      case (file, positions) if file.deleteFiles.nonEmpty && positions.size <= inliningRowLimit =>
        file.id
    }
    if (candidates.isEmpty) Map.empty else base.deleteFileCounts(table, candidates)
  }

  private def change(file: DataFile, positions: CompressedPositions): DeletesOfFile =
    DeletesOfFile(
      file.id,
      file.path,
      StoredDeletes.ofAll(file, table.qualifiedName, paths),
      base.snapshot.id.value,
      base.isEncrypted,
      file.inlinedDeletes.toArray,
      Option.when(RowRemoval.mayEnd(file))(file.recordCount),
      positions,
      AttemptNames.next(FileNames.deleteFile()),
    )

  private def newFile(
      file: DataFileId,
      previous: Vector[DeleteFileId],
      written: NamedDeleteFile,
  ): NewDeleteFile =
    NewDeleteFile(
      file,
      previous,
      written.name,
      written.count,
      written.sizes.sizeBytes,
      written.sizes.footerSize,
      written.sizes.rowGroups,
      written.sizes.key,
    )
}

object RowRemoval {

  /** How many deleted positions of one statement the catalog keeps at most, in all files together.
    * The commit inserts them while other commits wait.
    */
  private val MostInlined = 20000

  /** Whether a data file whose rows are all deleted may be ended. Not when it has inlined deletes,
    * because DuckDB's change feed would report these rows again. Not when it has rows of later
    * snapshots.
    */
  def mayEnd(file: DataFile): Boolean =
    file.inlinedDeletes.isEmpty && file.visibility == RowVisibility.All
}
