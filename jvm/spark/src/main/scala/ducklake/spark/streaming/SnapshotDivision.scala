package ducklake.spark.streaming

import ducklake.catalog.listing.AddedPart
import ducklake.catalog.model.FilesBefore
import ducklake.catalog.model.RowPlace
import ducklake.catalog.listing.LiveRowCount
import ducklake.spark.read.ReadColumns
import ducklake.spark.read.statistics.ScanSize
import ducklake.spark.session.TableAtSnapshot

import scala.annotation.tailrec

/** Divides the rows of a table at one snapshot into batches, by the catalog alone. Files are not
  * divided. Source: decision 20.
  *
  * @param refuse is called when files of which a part was read were replaced since
  */
private[streaming] final class SnapshotDivision(at: TableAtSnapshot, refuse: () => Nothing) {
  import SnapshotDivision.*

  /** The place where a batch ends; None when all rows that are left fit into it. */
  def end(from: RowPlace, limit: AdmissionLimit): Option[RowPlace] =
    if (limit.isNone) None else end(from, limit, FirstParts)

  /** The parts are read from the catalog until the limit is met, each time more of them, so that the
    * cost of a batch depends on its own size.
    */
  @tailrec
  private def end(from: RowPlace, limit: AdmissionLimit, count: Int): Option[RowPlace] = {
    val found = at.snapshot.added(at.table, from, count)
    if (!found.keepsPlace) refuse()
    limit.firstOver(found.parts.map(sizeOf)) match {
      case Some(over) => Some(placeBefore(over, found.parts, from))
      case None if found.hasMore => end(from, limit, count * MoreParts)
      case None => None
    }
  }

  /** Snapshots are divided only where one does not fit by itself. */
  private def placeBefore(over: Int, parts: Vector[AddedPart], from: RowPlace): RowPlace =
    (parts(over - 1), parts(over).added) match {
      case (AddedPart.InFile(_, file), next) if next == parts.head.added =>
        val before = from.files.filter(_ => from.adding == next).fold(0L)(_.count)
        RowPlace(next, Some(FilesBefore(file.id, before + over)))
      case (_, next) => RowPlace.before(next)
    }

  private lazy val width: ScanSize = {
    val schema = ReadColumns.all(at)
    new ScanSize(schema, schema)
  }

  private def sizeOf(part: AddedPart): RowsSize = part match {
    case AddedPart.InFile(_, file) => RowsSize(1, LiveRowCount.estimate(file), file.sizeBytes)
    case AddedPart.Inlined(_, rows) => RowsSize(1, rows, width.bytes(0, rows))
  }
}

private object SnapshotDivision {

  /** The number of parts that are read first: a driver needs about a megabyte for them. */
  val FirstParts = 1000

  /** How many times more parts are read when these do not meet the limit. */
  val MoreParts = 4
}
