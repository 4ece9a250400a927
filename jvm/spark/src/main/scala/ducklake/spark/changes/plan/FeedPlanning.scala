package ducklake.spark.changes.plan

import ducklake.catalog.LakeSnapshot
import ducklake.catalog.change.statistics.LeafColumns
import ducklake.catalog.error.LakeError
import ducklake.catalog.listing.ChangeListing
import ducklake.catalog.listing.ChangeRequest
import ducklake.catalog.listing.InlinedChangesRequest
import ducklake.catalog.model.ColumnStatistics
import ducklake.catalog.model.DataFile
import ducklake.catalog.model.DataFileChanges
import ducklake.catalog.model.SnapshotRange
import ducklake.catalog.predicate.PredicateColumns
import ducklake.catalog.predicate.StatsPruning
import ducklake.catalog.types.ColumnId
import ducklake.catalog.types.SnapshotId
import ducklake.spark.changes.FeedColumn
import ducklake.spark.changes.FeedRequest
import ducklake.spark.changes.task.ChangedPart
import ducklake.spark.changes.task.ChangedSide
import ducklake.spark.changes.task.ChangedSnapshots
import ducklake.spark.changes.task.FeedRange
import ducklake.spark.changes.task.FeedReaderFactory
import ducklake.spark.changes.task.FeedSpec
import ducklake.spark.changes.task.FileHistories
import ducklake.spark.changes.task.FilesFeedTask
import ducklake.spark.errors.SparkErrors
import ducklake.spark.parquet.read.ReadSpec
import ducklake.spark.read.ReadColumns
import ducklake.spark.read.ScanPlanner
import ducklake.spark.read.statistics.ScanSize
import ducklake.spark.sparkapi.sql.SessionSettings
import org.apache.spark.sql.connector.read.InputPartition
import org.apache.spark.sql.connector.read.PartitionReaderFactory
import org.apache.spark.sql.connector.read.Statistics

import java.time.Instant
import java.time.temporal.ChronoUnit
import java.util.UUID

/** The driver's work for a change feed: it lists the changes of the range, and makes tasks from
  * them.
  */
private[changes] final class FeedPlanning(request: FeedRequest) {

  private val table = request.at.table
  private val range = request.wanted

  private lazy val listing: ChangeListing =
    if (range.isEmpty) ChangeListing.none(range)
    else {
      ReadColumns.refuseUnreadable(request.at, request.data)
      requireTable(request.range.last)
      val inlined = InlinedChangesRequest(request.data.map(_.column), rows)
      val asked =
        ChangeRequest(range.first, Some(inlined), request.kind.rewritten, request.leftOut)
      end.changes(table, asked)
    }

  /** The table may be dropped at the end of a narrower range, and come back later. */
  private lazy val end: LakeSnapshot = request.at.session.lake.at(range.last)

  /** Filled by [[listing]]. */
  private val rows = new InlinedFeed(request)

  private lazy val pairs: FeedPairs = FeedPairs.of(request, listing, rows)

  private lazy val histories: FileHistories = new FileHistories(table.qualifiedName)

  lazy val tasks: Vector[InputPartition] = {
    val split = sizes
    val parts = for {
      changes <- listing.files
      sides = sidesOf(changes)
      if sides.nonEmpty && mayMatch(changes.file)
      file <- histories.parts(changes, split)
    } yield ChangedPart(file, sides)
    val packed = ScanPlanner.packBy(parts, split)(_.file.part.length)
    packed.map(FilesFeedTask(_)) ++ rows.tasks(pairs)
  }

  /** Whether the filters may want a row of the file, by its statistics. A file without such a row may
    * still be the partner of others.
    */
  private lazy val mayMatch: DataFile => Boolean =
    if (request.predicates.isEmpty || listing.files.isEmpty) _ => true
    else {
      val types = LeafColumns.of(table.columns)
      val columns = request.predicates.flatMap(PredicateColumns.of).toSet
      val known = end.fileStatistics(table, columns, listing.files.map(_.file.id))
      file => {
        val statistics = known.getOrElse(file.id, Map.empty[ColumnId, ColumnStatistics])
        request.predicates.forall(StatsPruning.mayMatch(_, statistics.get, types.get))
      }
    }

  private def sidesOf(changes: DataFileChanges): Vector[ChangedSide] =
    for {
      side <- request.sides
      if ChangedSnapshots.of(changes, side, range).exists(!isHidden(_))
    } yield ChangedSide(side, pairs.of(changes, side))

  private def isHidden(by: SnapshotRange): Boolean =
    by.first == by.last && listing.hidden(by.first)

  private def sizes: ScanPlanner.Sizes = {
    val settings = SessionSettings.split()
    val files = listing.files.map(_.file)
    ScanPlanner.sizes(files, settings.maxBytes, settings.openCost, settings.parallelism)
  }

  def statistics: Statistics = {
    val inFiles = listing.files.flatMap { changes =>
      request.sides.map(side => changes.file -> ChangedSnapshots.rows(changes, side, range))
    }
    val fileBytes = inFiles.map { case (file, changed) => ScanSize.bytesOf(file, changed) }.sum
    val size = new ScanSize(ReadColumns.all(request.at), request.schema)
    ScanSize.statistics(inFiles.map(_._2).sum + rows.size, size.bytes(fileBytes, rows.size))
  }

  lazy val factory: PartitionReaderFactory = {
    val spec = FeedSpec(
      UUID.randomUUID().toString,
      request.columns,
      ReadSpec(
        request.data,
        request.predicates,
        range.last.value,
        listing.mappings,
        table.columns.map(_.id),
        if (request.kind.hasNotNull) table.columns.filterNot(_.nullsAllowed).map(_.id).toSet
        else Set.empty,
      ),
      FeedRange(range.first.value, range.last.value, listing.hidden.map(_.value).toArray.sorted),
      pairs.files.map(histories.whole(_).withoutKeys),
      pairs.inlined,
      times,
      request.kind.sharedRowIds,
      table.qualifiedName,
    )
    val own = request.at.session.config.hadoop
    FeedReaderFactory.of(spec, readsFiles = listing.files.nonEmpty, own)
  }

  private def times: Map[Long, Long] =
    if (!request.columns.contains(FeedColumn.CommitTime)) Map.empty
    else
      listing.times.map { case (id, time) =>
        id.value -> ChronoUnit.MICROS.between(Instant.EPOCH, time)
      }.toMap

  private def requireTable(last: SnapshotId): Unit =
    if (request.at.session.lake.at(last).tableName(table.id).isEmpty)
      SparkErrors.raise(
        LakeError.InvalidArgument(
          s"Change feed of ${request.at.name}",
          "end-snapshot",
          s"is snapshot ${last.value}, where this table does not exist; the table of this " +
            "name that existed there is read with `versionAsOf`",
        )
      )
}
