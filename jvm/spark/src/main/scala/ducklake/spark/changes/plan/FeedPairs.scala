package ducklake.spark.changes.plan

import ducklake.catalog.listing.ChangeListing
import ducklake.catalog.listing.UpdatePartners
import ducklake.catalog.model.DataFileChanges
import ducklake.catalog.model.SnapshotRange
import ducklake.catalog.types.DataFileId
import ducklake.spark.changes.ChangeSide
import ducklake.spark.changes.FeedRequest
import ducklake.spark.changes.task.ChangedSnapshots
import ducklake.spark.changes.task.FeedKeys
import ducklake.spark.changes.task.Partners
import ducklake.spark.changes.task.RowIdsBySnapshot

import scala.collection.mutable

/** The places of the other images of updated rows, for each side of each changed file.
  *
  * @param files the files that are a partner of some file or of inlined rows
  * @param inlined row ids of the inlined rows, for each side
  */
private[changes] final class FeedPairs private (
    range: SnapshotRange,
    byChange: Map[(ChangeSide, Vector[SnapshotRange]), Partners],
    val files: Vector[DataFileChanges],
    val inlined: Map[ChangeSide, RowIdsBySnapshot],
) {

  /** The partners of one side of a file. */
  def of(changes: DataFileChanges, side: ChangeSide): Partners =
    of(side, ChangedSnapshots.of(changes, side, range))

  /** The partners of rows that these snapshots changed. */
  def of(side: ChangeSide, by: Vector[SnapshotRange]): Partners =
    byChange.getOrElse((side, by), Partners.none)
}

private[changes] object FeedPairs {

  def of(request: FeedRequest, listing: ChangeListing, rows: InlinedFeed): FeedPairs =
    if (request.needsPairs) new FeedPairsFinder(listing, rows).find()
    else new FeedPairs(listing.range, Map.empty, Vector.empty, Map.empty)

  private final class FeedPairsFinder(listing: ChangeListing, rows: InlinedFeed) {
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
      val found = (ofFiles ++ rows.changes).distinct.map { case (side, by) =>
        (side, by) -> partnersOf(side, by)
      }
      new FeedPairs(
        range,
        found.toMap,
        numbers.values.map(_._2).toVector,
        rows.rowIds,
      )
    }

    private def partnersOf(side: ChangeSide, by: Vector[SnapshotRange]): Partners = {
      val (files, hasRows) = side match {
        case ChangeSide.Insertion =>
          (by.flatMap(partners.filesWithDeletions), by.exists(partners.deletedRows))
        case ChangeSide.Deletion =>
          (by.flatMap(partners.filesWithInsertions), by.exists(partners.insertedRows))
      }
      val distinct = files.distinctBy(_.file.id)
      Partners(
        distinct.map(number).toArray,
        distinct.map(FeedKeys.of),
        hasRows,
        first = by.map(_.first.value).min,
        last = by.map(_.last.value).max,
      )
    }

    private def number(changes: DataFileChanges): Int =
      numbers.getOrElseUpdate(changes.file.id, (numbers.size, changes))._1
  }
}
