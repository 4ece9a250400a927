package ducklake.spark.streaming

import ducklake.catalog.listing.FileListing
import ducklake.catalog.listing.FileRequest
import ducklake.catalog.listing.InlinedReceiver
import ducklake.catalog.listing.InlinedRequest
import ducklake.catalog.listing.InlinedRow
import ducklake.catalog.listing.PartitionValues
import ducklake.catalog.types.DataFileId
import ducklake.catalog.types.SnapshotId
import ducklake.spark.read.LiveRowCount
import ducklake.spark.read.ReadColumns
import ducklake.spark.read.statistics.ScanSize
import ducklake.spark.session.TableAtSnapshot

import scala.collection.mutable

/** Divides the rows of a table at one snapshot into batches, by the catalog alone. Files are not
  * divided. Source: decision 20.
  *
  * @param refuse is called when files of which a part was read were replaced since
  */
private[streaming] final class SnapshotDivision(at: TableAtSnapshot, refuse: () => Nothing) {
  import SnapshotDivision.Piece

  /** The place where a batch ends; None when all rows that are left fit into it. */
  def end(from: RowPlace, limit: AdmissionLimit): Option[RowPlace] =
    if (limit.isNone) None
    else {
      val inlined = new InlinedCounts
      val listing = list(inlined)
      if (!from.isIn(listing.files)) refuse()
      val pieces = piecesOf(listing, inlined, RowSlice(from, None))
      limit.firstOver(pieces.map(_.size)).map { over =>
        val (last, next) = (pieces(over - 1), pieces(over))
        last.file match {
          // Snapshots are divided only where one does not fit by itself.
          case Some(file) if next.added == pieces.head.added =>
            RowPlace.after(next.added, file, listing.files)
          case _ => RowPlace.before(next.added)
        }
      }
    }

  private def list(inlined: InlinedReceiver): FileListing =
    at.snapshot.files(
      at.table,
      FileRequest(
        Vector.empty,
        Set.empty,
        Some(InlinedRequest(Vector.empty, None, inlined)),
        partitionValues = PartitionValues.LeftOut,
      ),
    )

  private def piecesOf(
      listing: FileListing,
      inlined: InlinedCounts,
      rest: RowSlice,
  ): Vector[Piece] = {
    val files = for {
      file <- listing.files
      added = rest.snapshotsOf(file)
      if added.nonEmpty
    } yield {
      val size = RowsSize(1, LiveRowCount.estimate(file), file.sizeBytes)
      Piece(added.first, Some(file.id), size)
    }
    val schema = ReadColumns.all(at)
    val width = new ScanSize(schema, schema)
    val rows = inlined.all.collect {
      case (added, count) if rest.hasInlined(added) =>
        Piece(added, None, RowsSize(1, count, width.bytes(0, count)))
    }
    (files ++ rows).sortBy(piece => (piece.added.value, piece.file.fold(Long.MaxValue)(_.value)))
  }
}

private object SnapshotDivision {

  /** What is read as a whole, unless it has rows of several snapshots.
    *
    * @param added the first snapshot of the rest that added rows of it; all rows count there
    * @param file None: the inlined rows that the snapshot added
    */
  private final case class Piece(added: SnapshotId, file: Option[DataFileId], size: RowsSize)
}

/** Counts the inlined rows that each snapshot added. */
private final class InlinedCounts extends InlinedReceiver {

  // Filled while the rows are read, by one thread.
  private val counts = mutable.Map.empty[SnapshotId, Long].withDefaultValue(0L)

  def all: Vector[(SnapshotId, Long)] = counts.toVector

  def begin(): Unit = counts.clear()

  def add(row: InlinedRow): Unit = counts(row.begin) += 1
}
