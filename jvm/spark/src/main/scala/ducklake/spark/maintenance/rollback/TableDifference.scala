package ducklake.spark.maintenance.rollback

import ducklake.catalog.LakeSnapshot
import ducklake.catalog.change.plan.FileDifference
import ducklake.catalog.change.plan.FilePair
import ducklake.catalog.change.statistics.LeafColumns
import ducklake.catalog.listing.FileListing
import ducklake.catalog.listing.FileRequest
import ducklake.catalog.listing.InlinedRequest
import ducklake.catalog.model.ColumnStatistics
import ducklake.catalog.model.DataFile
import ducklake.catalog.model.LakeTable
import ducklake.catalog.types.ColumnId
import ducklake.catalog.types.DataFileId
import ducklake.files.delete.CompressedPositions
import ducklake.files.delete.StoredDeletes
import ducklake.spark.delete.MatchingRowsJob
import ducklake.spark.delete.RowPositionsTable
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
  private val positionsJob = new PositionsJob(before.qualifiedName, conf)
  private val present = current.getOrElse(before)

  /** The inlined rows of both, filled by the listings. */
  val inlined: InlinedComparison = new InlinedComparison

  private val presentListing: FileListing = {
    // A drop does not end inlined rows, but ends the table that shows them.
    val rows = current.map(_ => InlinedRequest(Vector.empty, None, inlined.present))
    base.files(present, FileRequest(Vector.empty, Set.empty, rows))
  }

  /** The listing of the past snapshot, without statistics: the statistics of all files may not fit
    * into memory.
    */
  val pastListing: FileListing = {
    val rows = InlinedRequest(before.columns, None, inlined.past)
    past.files(before, FileRequest(Vector.empty, Set.empty, Some(rows)))
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

  /** The statistics of the files that are copied. */
  def statisticsOfCopied(): Map[DataFileId, Map[ColumnId, ColumnStatistics]] = {
    val leaves = LeafColumns.of(before.columns).keySet
    past.fileStatistics(before, leaves, files.copied.map(_.id))
  }

  /** The positions of rows of the past snapshot that were deleted since, in files that both
    * snapshots have. Files without deleted positions are left out. Errors: errors of reading;
    * StatementInterrupted.
    */
  lazy val deletedSince: Map[DataFileId, CompressedPositions] = {
    val found = positionsJob.run(files.compared.map { pair =>
      val (earlier, now) = (deletesOf(pair.past, past), deletesOf(pair.present, base))
      SoughtPositions.DeletedSince(pair.past.id, earlier, now)
    })
    // A row of a file that has grown may also have been added since: then it does not come back.
    val seen = pastPositions(grown.map(_.past.id).toSet & found.keySet)
    found -- grown.map(_.past.id) ++ seen
      .map { case (file, had) =>
        val stayed = had.positions.minus(found(file).positions)
        file -> CompressedPositions(had.positions.minus(stayed))
      }
      .filterNot(_._2.isEmpty)
  }

  /** The files with more rows than the past snapshot sees in them. */
  private lazy val grown: Vector[FilePair] =
    files.compared.filter(pair => pair.past.visibility != pair.present.visibility)

  /** The positions of the rows that files have at the base. Errors: as above. */
  def livePositions(files: Vector[DataFile]): Map[DataFileId, CompressedPositions] =
    positionsJob.run(
      files.map { file =>
        SoughtPositions.Remaining(file.id, file.path, file.recordCount, deletesOf(file, base))
      }
    )

  private def deletesOf(file: DataFile, at: LakeSnapshot): DeletesAt =
    DeletesAt(
      StoredDeletes.ofAll(file, before.qualifiedName),
      at.snapshot.id.value,
      file.inlinedDeletes.toArray,
    )

  /** The positions of rows that were added since, in files that both snapshots have: files with
    * rows of several snapshots. Errors: StatementInterrupted, and errors of reading.
    */
  lazy val cameSince: Map[DataFileId, CompressedPositions] =
    if (grown.isEmpty) Map.empty else newPositions(grown)

  /** The positions of the rows that the past snapshot has in these files. Errors: as above. */
  def pastPositions(files: Set[DataFileId]): Map[DataFileId, CompressedPositions] =
    if (files.isEmpty) Map.empty else positions(past, pastListing, before, files)

  private def newPositions(grown: Vector[FilePair]): Map[DataFileId, CompressedPositions] = {
    val ids = grown.map(_.past.id).toSet
    val old = positions(past, pastListing, before, ids)
    positions(base, presentListing, present, ids)
      .map { case (file, found) =>
        val before = old.getOrElse(file, CompressedPositions.empty)
        file -> CompressedPositions(found.positions.minus(before.positions))
      }
      .filterNot(_._2.isEmpty)
  }

  private def positions(
      at: LakeSnapshot,
      listing: FileListing,
      table: LakeTable,
      ids: Set[DataFileId],
  ): Map[DataFileId, CompressedPositions] = {
    val listed = at.seenThrough(new ListedFiles(listing, ids))
    val chosen = new RowPositionsTable(new TableAtSnapshot(session, listed, table))
    MatchingRowsJob.matching(chosen, Vector.empty).positions
  }
}
