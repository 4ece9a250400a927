package ducklake.spark.delete

import ducklake.catalog.LakeSnapshot
import ducklake.catalog.change.operation.KnownDeletes
import ducklake.catalog.change.operation.NewDeleteFile
import ducklake.catalog.change.operation.Operation
import ducklake.catalog.error.LakeError
import ducklake.catalog.error.LakeException
import ducklake.catalog.model.DataFile
import ducklake.catalog.model.LakeTable
import ducklake.catalog.model.RowVisibility
import ducklake.catalog.types.DataFileId
import ducklake.catalog.types.DeleteFileId
import ducklake.files.delete.CompressedPositions
import ducklake.files.delete.StoredDeletes
import ducklake.files.path.AttemptNames
import ducklake.files.path.FileNames
import ducklake.files.path.PathResolver
import ducklake.spark.session.WrittenFiles
import org.apache.hadoop.conf.Configuration
import org.roaringbitmap.longlong.Roaring64Bitmap

import scala.collection.immutable.ArraySeq

/** Rows that a statement deletes. They are live at the statement's snapshot.
  *
  * @param positions of single rows, by data file
  * @param inlined row ids of inlined rows
  * @param whole other data files, as of that snapshot, whose rows are all deleted
  */
final case class RowsToDelete(
    positions: Map[DataFileId, CompressedPositions],
    inlined: ArraySeq[Long],
    whole: Vector[DataFile],
) {
  def isEmpty: Boolean = positions.forall(_._2.isEmpty) && inlined.isEmpty && whole.isEmpty

  /** The data files that lose rows. */
  def files: Vector[DataFileId] =
    positions.collect { case (file, some) if !some.isEmpty => file }.toVector.sortBy(_.value) ++
      whole.map(_.id)
}

object RowsToDelete {

  /** Row ids that several tasks have found, increasing, each once. A bitmap and an array instead of
    * objects, because there may be millions.
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
  * Source: format 6.4 (scheme B), format 6.6 and 6.7.
  *
  * @param base the snapshot at which the rows were found
  * @param inliningRowLimit how many deleted positions of a data file may be inlined in the catalog
  */
final class DeleteOperationBuilder(
    table: LakeTable,
    val base: LakeSnapshot,
    inliningRowLimit: Long,
    conf: Configuration,
) {

  private val directory = PathResolver.hadoopPath(table.directory)

  /** Whether the table still has all data files of the rows. */
  def hasAllFiles(head: LakeSnapshot, removed: RowsToDelete): Boolean =
    head.filesById(table, removed.files).size == removed.files.size

  /** Writes the delete files, merged with the deletes of the data files at `head`. When that fails,
    * the delete files that were written are deleted again.
    *
    * @param head the base, or a later snapshot
    *
    * Errors: CommitConflict when some of the rows are deleted at `head`, or their files replaced.
    */
  def write(
      removed: RowsToDelete,
      head: LakeSnapshot,
  ): (Operation.DeleteRows, WrittenFiles) = {
    val found = filesOf(removed, head)
    val wholeIds = removed.whole.map(_.id).toSet
    checkWhole(removed.whole, found)
    val touched =
      found.filterNot(file => wholeIds(file.id)).map(file => file -> removed.positions(file.id))
    if (touched.exists { case (file, positions) => overlapsInlined(file, positions) })
      refuseOverlap()
    val (ended, kept) = touched.partition { case (file, positions) =>
      file.deleteFiles.isEmpty && mayEmpty(file, positions)
    }
    val (few, many) = split(kept, head)
    val job = new DeleteFileJob(directory, table.qualifiedName, conf)
    val done = job.write(many.map { case (file, positions) => change(file, positions, head) })
    if (done.exists(_.isInstanceOf[DeleteJobResult.Overlapping])) {
      job.discard(done, Vector.empty)
      refuseOverlap()
    }
    val known = found.map(file => file.id -> KnownDeletes.of(file)).toMap
    val operation = Operation.DeleteRows(
      table,
      removed.whole.map(_.id) ++ ended.map(_._1.id) ++
        done.collect { case DeleteJobResult.Emptied(file) => file },
      done.collect { case DeleteJobResult.Written(file, written) =>
        newFile(file, known(file).files, written)
      },
      few.map { case (file, positions) => file.id -> positions.positions.asSequence }.toMap,
      removed.inlined,
      known,
    )
    (
      operation,
      WrittenFiles(done.collect { case DeleteJobResult.Written(_, one) => directory + one.name }),
    )
  }

  /** The operation for a transaction, which deletes the rows when it is committed. */
  def unwritten(removed: RowsToDelete): Operation.DeleteRows =
    Operation.DeleteRows(
      table,
      removed.whole.map(_.id),
      Vector.empty,
      removed.positions.collect {
        case (file, positions) if !positions.isEmpty => file -> positions.positions.asSequence
      },
      removed.inlined,
    )

  /** Which files get inlined deletes, and which a delete file. */
  private def split(
      kept: Vector[(DataFile, CompressedPositions)],
      head: LakeSnapshot,
  ): (Vector[(DataFile, CompressedPositions)], Vector[(DataFile, CompressedPositions)]) = {
    val counts = deleteFileCounts(kept, head)
    val (small, large) = kept.partition { case (file, positions) =>
      positions.size <= inliningRowLimit && counts.getOrElse(file.id, 0L) < 2 &&
      !mayEmpty(file, positions) && !hasNewDeleteFile(file)
    }
    val isBounded = small.iterator.map(_._2.size).sum <= DeleteOperationBuilder.MostInlined
    if (isBounded) (small, large) else (Vector.empty, kept)
  }

  /** The data files that lose rows, at `head`. */
  private def filesOf(removed: RowsToDelete, head: LakeSnapshot): Vector[DataFile] = {
    val found = head.filesById(table, removed.files)
    if (found.size < removed.files.size)
      refuse("deleted all rows of the same files or compacted them")
    found
  }

  /** Checks that no row of a file whose rows are all deleted was deleted since the base. */
  private def checkWhole(whole: Vector[DataFile], found: Vector[DataFile]): Unit = {
    val now = found.map(file => file.id -> file).toMap
    if (whole.exists(file => KnownDeletes.of(file) != KnownDeletes.of(now(file.id))))
      refuseOverlap()
  }

  private def overlapsInlined(file: DataFile, positions: CompressedPositions): Boolean =
    file.inlinedDeletes.nonEmpty && positions.containsAny(file.inlinedDeletes)

  /** Whether the file has a delete file from after the base, which may name the same rows. */
  private def hasNewDeleteFile(file: DataFile): Boolean =
    file.deleteFiles.exists(_.id.value >= base.snapshot.nextFileId)

  private def refuseOverlap(): Nothing = refuse("deleted or changed the same rows")

  private def refuse(did: String): Nothing =
    throw new LakeException(
      LakeError.CommitConflict(
        s"it wants to delete from ${table.qualifiedName}, and another commit $did since it began"
      )
    )

  /** Whether the counts allow that every row of the file is deleted. Without a delete file the
    * counts are exact; with one the positions must be compared.
    */
  private def mayEmpty(file: DataFile, positions: CompressedPositions): Boolean =
    DeleteOperationBuilder.mayEnd(file) &&
      file.deleteCount + positions.size >= file.recordCount

  /** The number of delete files that each data file has had, for files with few deleted rows. After
    * two delete files, DuckDB's change feed reports each inlined position of a data file twice.
    */
  private def deleteFileCounts(
      kept: Vector[(DataFile, CompressedPositions)],
      head: LakeSnapshot,
  ): Map[DataFileId, Long] = {
    val candidates = kept.collect {
      case (file, positions) if file.deleteFiles.nonEmpty && positions.size <= inliningRowLimit =>
        file.id
    }
    if (candidates.isEmpty) Map.empty else head.deleteFileCounts(table, candidates)
  }

  private def change(
      file: DataFile,
      positions: CompressedPositions,
      head: LakeSnapshot,
  ): DeleteJobInput =
    DeleteJobInput(
      file.id,
      file.path,
      StoredDeletes.ofAll(file, table.qualifiedName),
      head.isEncrypted,
      file.inlinedDeletes.toArray,
      Option.when(DeleteOperationBuilder.mayEnd(file))(file.recordCount),
      positions,
      AttemptNames.next(FileNames.deleteFile()),
    )

  private def newFile(
      file: DataFileId,
      previous: Set[DeleteFileId],
      written: NamedDeleteFile,
  ): NewDeleteFile =
    NewDeleteFile(
      file,
      previous.toVector.sortBy(_.value),
      written.name,
      written.count,
      written.physical,
    )
}

object DeleteOperationBuilder {

  /** The most deleted positions that one statement inlines, in all files together. The commit
    * inserts them while other commits wait.
    */
  private val MostInlined = 20000

  /** Whether a data file whose rows are all deleted may be ended. Not when it has inlined deletes,
    * because DuckDB's change feed would report these rows again. Not when it has rows of later
    * snapshots.
    */
  def mayEnd(file: DataFile): Boolean =
    file.inlinedDeletes.isEmpty && file.visibility == RowVisibility.All
}
