package ducklake.spark.changes

import ducklake.catalog.model.DataFileChanges
import ducklake.catalog.model.DataFileId
import ducklake.catalog.model.SnapshotRange
import ducklake.catalog.read.ChangeListing
import ducklake.catalog.read.InlinedRowChanges
import ducklake.catalog.read.UpdatePartners

import scala.collection.mutable

/** Where the other images of updated rows may be, for each side of each changed file.
  *
  * @param files the files that are a partner of some file or of inlined rows
  * @param inlined row ids and snapshots of the inlined rows, for each side
  */
private[changes] final class FeedPairs private (
    range: SnapshotRange,
    byChange: Map[(ChangeSide, Vector[SnapshotRange]), Partners],
    val files: Vector[DataFileChanges],
    val inlined: Map[ChangeSide, InlinedRowIds],
) {

  /** The partners of one side of a file. */
  def of(changes: DataFileChanges, side: ChangeSide): Partners =
    of(side, ChangedSnapshots.of(changes, side, range))

  /** The partners of rows that these snapshots changed. */
  def of(side: ChangeSide, by: Vector[SnapshotRange]): Partners =
    byChange.getOrElse((side, by), Partners.none)
}

private[changes] object FeedPairs {

  def of(request: FeedRequest, listing: ChangeListing): FeedPairs =
    if (request.needsPairs) new FeedPairsFinder(listing).find()
    else new FeedPairs(listing.range, Map.empty, Vector.empty, Map.empty)

  /** The row ids that the inlined rows have on one side. */
  def inlinedRowIds(side: ChangeSide, listing: ChangeListing): InlinedRowIds = {
    val found = listing.rows.flatMap(row => changedBy(row, side, listing.range).map(_ -> row.rowId))
    InlinedRowIds(found.map(_._1).toArray, found.map(_._2).toArray)
  }

  /** The snapshot of the range that changed the inlined row on this side. */
  def changedBy(row: InlinedRowChanges, side: ChangeSide, range: SnapshotRange): Option[Long] =
    side match {
      case ChangeSide.Insertion => Option.when(range.contains(row.begin))(row.begin.value)
      case ChangeSide.Deletion => row.ended.map(_.value)
    }

  private final class FeedPairsFinder(listing: ChangeListing) {
    private val range = listing.range
    private val partners = new UpdatePartners(listing)

    // The finder numbers the partner files in the order in which it meets them.
    private val numbers = mutable.LinkedHashMap.empty[DataFileId, (Int, DataFileChanges)]

    def find(): FeedPairs = {
      val sides = Vector(ChangeSide.Insertion, ChangeSide.Deletion)
      val ofFiles = for {
        side <- sides
        changes <- listing.files
        by = ChangedSnapshots.of(changes, side, range)
        if by.nonEmpty
      } yield (side, by)
      val ofRows = for {
        side <- sides
        row <- listing.rows
        snapshot <- changedBy(row, side, range)
      } yield (side, InlinedFeed.by(snapshot))
      val found = (ofFiles ++ ofRows).distinct.map { case (side, by) =>
        (side, by) -> partnersOf(side, by)
      }
      new FeedPairs(
        range,
        found.toMap,
        numbers.values.map(_._2).toVector,
        sides.map(side => side -> inlinedRowIds(side, listing)).toMap,
      )
    }

    private def partnersOf(side: ChangeSide, by: Vector[SnapshotRange]): Partners = {
      val (files, rows) = side match {
        case ChangeSide.Insertion =>
          (by.flatMap(partners.filesWithDeletions), by.flatMap(partners.deletedRows))
        case ChangeSide.Deletion =>
          (by.flatMap(partners.filesWithInsertions), by.flatMap(partners.insertedRows))
      }
      Partners(files.distinctBy(_.file.id).map(number).toArray, rows.nonEmpty)
    }

    private def number(changes: DataFileChanges): Int =
      numbers.getOrElseUpdate(changes.file.id, (numbers.size, changes))._1
  }
}
