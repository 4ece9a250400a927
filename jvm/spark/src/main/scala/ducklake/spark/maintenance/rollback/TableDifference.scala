package ducklake.spark.maintenance.rollback

import ducklake.catalog.LakeSnapshot
import ducklake.catalog.change.FileDifference
import ducklake.catalog.change.FilePair
import ducklake.catalog.change.LeafColumns
import ducklake.catalog.model.DataFile
import ducklake.catalog.model.DataFileId
import ducklake.catalog.model.LakeTable
import ducklake.catalog.read.FileListing
import ducklake.catalog.read.FileRequest
import ducklake.catalog.read.InlinedRequest
import ducklake.files.DeleteFileCache
import ducklake.files.DeletedPositions
import ducklake.files.PathResolver
import ducklake.files.StoredDeletes
import ducklake.spark.delete.RowPositionsTable
import ducklake.spark.delete.RowSearch
import ducklake.spark.session.SessionLake
import ducklake.spark.session.TableAtSnapshot
import org.apache.hadoop.conf.Configuration

/** The files and inlined rows of a table at two snapshots, each listed once.
  *
  * @param current the table at the base; None for a dropped table, which has no rows
  */
private[rollback] final class TableDifference(
    session: SessionLake,
    base: LakeSnapshot,
    past: LakeSnapshot,
    current: Option[LakeTable],
    before: LakeTable,
    conf: Configuration,
) {
  private val paths = PathResolver(None)
  private val present = current.getOrElse(before)

  /** The inlined rows of both, filled by the listings. */
  val inlined: InlinedComparison = new InlinedComparison

  private val presentListing: FileListing = {
    // A drop does not end inlined rows, but ends the table that shows them.
    val rows = current.map(_ => InlinedRequest(Vector.empty, None, inlined.present))
    base.files(present, FileRequest(Vector.empty, Set.empty, rows))
  }

  /** The listing of the past snapshot, with statistics. */
  val pastListing: FileListing = {
    val leaves = LeafColumns.of(before.columns).keySet
    val rows = InlinedRequest(before.columns, None, inlined.past)
    past.files(before, FileRequest(Vector.empty, leaves, Some(rows)))
  }

  if (current.exists(_.columns == before.columns) && inlined.hasOtherVersions) {
    val rows = InlinedRequest(before.columns, None, inlined.presentValues)
    base.files(present, FileRequest(Vector.empty, Set.empty, Some(rows))): Unit
  }

  val files: FileDifference = {
    val live = presentListing.files.map(_.id).toSet
    val gone = pastListing.files.map(_.id).filterNot(live)
    val withSnapshots =
      if (gone.isEmpty) Set.empty[DataFileId] else past.filesOfSeveralSnapshots(before, gone)
    val next = past.snapshot.nextFileId
    FileDifference.between(pastListing.files, presentListing.files, withSnapshots, next)
  }

  /** The positions that were deleted since, in files that both snapshots have. Files without such
    * positions are left out.
    */
  lazy val deletedSince: Map[DataFileId, DeletedPositions] =
    files.compared
      .map { pair =>
        pair.past.id -> deleted(pair.present, base).minus(deleted(pair.past, past))
      }
      .filterNot(_._2.isEmpty)
      .toMap

  /** The positions of the rows that a file has at the base. */
  def livePositions(file: DataFile): DeletedPositions =
    deleted(file, base).others(file.recordCount)

  private def deleted(file: DataFile, at: LakeSnapshot): DeletedPositions = {
    val inCatalog = DeletedPositions(file.inlinedDeletes.toArray)
    file.deleteFile.fold(inCatalog) { deletes =>
      val name = before.qualifiedName
      val stored = StoredDeletes.of(deletes, name, paths)
      inCatalog.union(DeleteFileCache.positions(stored, at.snapshot.id.value, name, conf))
    }
  }

  /** The positions of rows that came since, in files that both snapshots have: files with rows of
    * several snapshots. Errors: StatementInterrupted, and those of reading.
    */
  lazy val cameSince: Map[DataFileId, DeletedPositions] = {
    val grown = files.compared.filter(pair => pair.past.visibility != pair.present.visibility)
    if (grown.isEmpty) Map.empty else newPositions(grown)
  }

  /** The positions of the rows that the past snapshot has in these files. Errors: as above. */
  def pastPositions(files: Set[DataFileId]): Map[DataFileId, DeletedPositions] =
    if (files.isEmpty) Map.empty else positions(past, pastListing, before, files)

  private def newPositions(grown: Vector[FilePair]): Map[DataFileId, DeletedPositions] = {
    val ids = grown.map(_.past.id).toSet
    val old = positions(past, pastListing, before, ids)
    positions(base, presentListing, present, ids)
      .map { case (file, found) =>
        file -> found.minus(old.getOrElse(file, DeletedPositions.empty))
      }
      .filterNot(_._2.isEmpty)
  }

  private def positions(
      at: LakeSnapshot,
      listing: FileListing,
      table: LakeTable,
      ids: Set[DataFileId],
  ): Map[DataFileId, DeletedPositions] = {
    val listed = new TableAtSnapshot(session, new ListedSnapshot(at, listing, ids), table)
    RowSearch.matching(new RowPositionsTable(listed), Vector.empty).positions.map {
      case (file, found) => file -> found.positions
    }
  }
}
