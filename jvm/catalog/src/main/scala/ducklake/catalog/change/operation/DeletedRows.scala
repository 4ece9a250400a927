package ducklake.catalog.change.operation

import ducklake.catalog.types.DataFileId
import ducklake.catalog.types.DeleteFileId

/** Where the deleted rows of an operation are; see [[Operation.DeleteRows]]. */
trait DeletedRows {
  def endedFiles: Vector[DataFileId]
  def deleteFiles: Vector[NewDeleteFile]
  def inlinedDeletes: Map[DataFileId, IndexedSeq[Long]]
  def endedInlined: IndexedSeq[Long]
  def known: Map[DataFileId, KnownDeletes]

  /** The data files that lose rows. */
  final def touchedFiles: Vector[DataFileId] =
    endedFiles ++ deleteFiles.map(_.dataFile) ++ inlinedDeletes.keys

  /** The earlier deletes of a data file that loses rows. */
  final def knownOf(file: DataFileId): KnownDeletes =
    known.getOrElse(file, KnownDeletes(replaced.getOrElse(file, Set.empty), 0L))

  private lazy val replaced: Map[DataFileId, Set[DeleteFileId]] =
    deleteFiles.map(each => each.dataFile -> each.replaces.toSet).toMap

  final def touchesFiles: Boolean = endedFiles.nonEmpty || deleteFiles.nonEmpty
  final def touchesCatalog: Boolean = inlinedDeletes.nonEmpty || endedInlined.nonEmpty
}
