package ducklake.spark.streaming

import ducklake.catalog.LakeSnapshot
import ducklake.catalog.error.LakeError
import ducklake.catalog.error.LakeException
import ducklake.catalog.listing.ChangeBound
import ducklake.catalog.listing.ChangeRequest
import ducklake.catalog.model.RowPlace
import ducklake.catalog.model.RowSlice
import ducklake.catalog.model.SnapshotRange
import ducklake.catalog.types.SnapshotId
import ducklake.spark.errors.DuckLakeException
import ducklake.spark.errors.SparkErrors
import ducklake.spark.errors.SparkErrors.onDriver
import ducklake.spark.sparkapi.stream.PolledStream
import ducklake.spark.streaming.columns.ColumnChoice
import ducklake.spark.streaming.columns.PlannedReads
import ducklake.spark.streaming.columns.PrunedStream
import ducklake.spark.streaming.columns.StreamChoice
import org.apache.spark.sql.connector.expressions.filter.Predicate
import org.apache.spark.sql.connector.read.Batch
import org.apache.spark.sql.connector.read.InputPartition
import org.apache.spark.sql.connector.read.PartitionReaderFactory
import org.apache.spark.sql.connector.read.streaming.MicroBatchStream
import org.apache.spark.sql.connector.read.streaming.Offset
import org.apache.spark.sql.connector.read.streaming.ReadLimit
import org.apache.spark.sql.connector.read.streaming.ReportsSourceMetrics
import org.apache.spark.sql.connector.read.streaming.SupportsTriggerAvailableNow

import java.time.Duration
import java.util
import java.util.Optional

import scala.jdk.CollectionConverters.MapHasAsJava
import scala.jdk.OptionConverters.RichOptional

/** A stream that goes from snapshot to snapshot. Each of its batches is the batch read of a range;
  * this class chooses the ranges. Spark calls it from one thread.
  *
  * @param checkpoint the place of this source in the checkpoint of the query
  *
  * Source: decision 20.
  */
private[streaming] final class SnapshotStream(
    rows: StreamedRows,
    table: FollowedTable,
    options: ReadStreamOptions,
    checkpoint: String,
) extends MicroBatchStream
    with SupportsTriggerAvailableNow
    with ReportsSourceMetrics {
  import SnapshotStream.LongestWait

  private val lake = rows.at.session.lake
  private val id = rows.at.table.uuid
  private val ends = new BatchEnds(rows, table)
  private val reads = new PlannedReads(batchOf(rows, _, _))
  private val idle =
    new IdleAnswer(() => lake.newestTime(), () => PolledStream.isRunning, () => System.nanoTime())

  private val position =
    Option.when(options.registersReader)(ReaderPosition.of(rows.at, rows.name, checkpoint))

  // The state between Spark's calls; other threads read the progress of a query.
  @volatile private var endOfRun: Option[LakeSnapshot] = None
  @volatile private var newest: Option[SnapshotOffset] = None
  @volatile private var unchangedUpTo: Long = -1L

  override def getDefaultReadLimit(): ReadLimit = options.limit.asSpark

  override def prepareForTriggerAvailableNow(): Unit =
    endOfRun = Some(onDriver(table.newest()))

  /** The same at every call: after a failure of the first batch Spark calls again, and reads from
    * there to the end that is in the checkpoint.
    */
  override def initialOffset(): Offset = onDriver {
    options.start.fold(SnapshotOffset(id, None)) { first =>
      val last = ChangeBound.version(table.newest().snapshot.id)
      val range = lake.changeRange(first, last).fold(SparkErrors.raise(_), identity)
      SnapshotOffset.before(id, range.first)
    }
  }

  override def deserializeOffset(json: String): Offset = onDriver(SnapshotOffset.parse(json))

  override def latestOffset(): Offset =
    throw new UnsupportedOperationException("the end of a batch depends on its begin")

  /** The end of the batch after `start`; null when there is nothing new. */
  override def latestOffset(start: Offset, limit: ReadLimit): Offset = reading {
    val from = SnapshotOffset.of(start)
    val end = next(from, AdmissionLimit.of(limit))
    if (end.isEmpty) from.needed.foreach(reach)
    end.orNull
  }

  override def reportLatestOffset(): Offset = newest.orNull

  private def next(from: SnapshotOffset, limit: AdmissionLimit): Option[SnapshotOffset] =
    endOfRun match {
      case Some(last) => nextUntil(last, from, limit)
      case None if idle.holds(from) => None
      case None =>
        val askedAt = System.nanoTime()
        val last = table.newest()
        val end = nextUntil(last, from, limit)
        if (end.isEmpty) idle.remember(from, last.snapshot, askedAt)
        end
    }

  private def nextUntil(
      last: LakeSnapshot,
      from: SnapshotOffset,
      limit: AdmissionLimit,
  ): Option[SnapshotOffset] = {
    table.check(from, last)
    newest = Some(SnapshotOffset.at(id, last.snapshot))
    (from.part, from.read) match {
      case (Some(part), _) =>
        Some(ends.within(table.divided(part), from, part.place, limit))
      case (None, None) => Some(ends.within(last, from, RowPlace.first, limit))
      case (None, Some(read)) if read.id == last.snapshot.id => None
      case (None, Some(read)) => next(from, read, last, limit)
    }
  }

  /** While the table does not change, the stream keeps its position: each batch may cause a commit
    * of its sink, which may be in the same lake. It advances after an hour, before the snapshots
    * after its position expire.
    */
  private def next(
      from: SnapshotOffset,
      read: ReadSnapshot,
      last: LakeSnapshot,
      limit: AdmissionLimit,
  ): Option[SnapshotOffset] = {
    val first = read.id.value + 1
    // A lake that was restored from a copy may have had later snapshots before.
    if (last.snapshot.id.value < unchangedUpTo) unchangedUpTo = read.id.value
    val unknown = SnapshotId(first.max(unchangedUpTo + 1))
    val isChanged = last.firstEntries(rows.at.table.id, unknown)(_.mayChangeRows).nonEmpty
    if (isChanged) Some(ends.after(from, SnapshotId(first), last, limit))
    else {
      unchangedUpTo = last.snapshot.id.value
      def waited = read.time.map(Duration.between(_, last.snapshot.time))
      Option.when(waited.forall(_.compareTo(LongestWait) > 0))(SnapshotOffset.at(id, last.snapshot))
    }
  }

  override def planInputPartitions(start: Offset, end: Offset): Array[InputPartition] =
    tasks(reads, start, end)

  /** The tasks of a batch. The stream is registered as a reader only when it can read the batch: the
    * position of a stream that cannot continue would keep snapshots for nobody.
    */
  private[streaming] def tasks(
      reads: PlannedReads,
      start: Offset,
      end: Offset,
  ): Array[InputPartition] = reading {
    val planned = reads.tasks(start, end)
    SnapshotOffset.of(start).needed.orElse(SnapshotOffset.of(end).needed).foreach(reach)
    planned
  }

  override def createReaderFactory(): PartitionReaderFactory = reads.factory()

  /** The stream with some of its columns and rows; None when it has not all of these columns. */
  def pruned(columns: ColumnChoice.Some, filters: Vector[Predicate]): Option[PrunedStream] =
    Option.when(columns.positions.forall(_ < rows.width)) {
      val chosen = rows.only(StreamChoice(columns, filters))
      new PrunedStream(this, columns, filters, new PlannedReads(batchOf(chosen, _, _)))
    }

  override def equals(other: Any): Boolean = other match {
    case stream: SnapshotStream => stream eq this
    case pruned: PrunedStream => pruned.under eq this
    case _ => false
  }

  override def hashCode(): Int = System.identityHashCode(this)

  private def batchOf(rows: StreamedRows, from: SnapshotOffset, to: SnapshotOffset): Batch = {
    val end = to.part
      .map(_.of)
      .orElse(to.read)
      .getOrElse(throw new IllegalStateException("a batch ends at a snapshot"))
    from.read.foreach(requireEnd(_, end))
    val last = to.part.orElse(from.part).fold(table.snapshot(end))(table.divided)
    table.check(from, last)
    def unread = from.read.map(read => SnapshotRange(SnapshotId(read.id.value + 1), end.id))
    (from.part, to.part) match {
      case (None, None) => unread.fold(rows.whole(last))(rows.between(_, last))
      case (Some(part), place) =>
        sliceOf(rows, last, RowSlice(part.place, place.map(_.place)), None)
      case (None, Some(part)) =>
        val begin = unread.fold(RowPlace.first)(range => RowPlace.before(range.last))
        sliceOf(rows, last, RowSlice(begin, Some(part.place)), unread)
    }
  }

  private def sliceOf(
      rows: StreamedRows,
      snapshot: LakeSnapshot,
      slice: RowSlice,
      before: Option[SnapshotRange],
  ): Batch =
    rows.divided
      .getOrElse(throw new IllegalStateException(s"${rows.name} is not divided"))
      .slice(snapshot, slice, before)

  /** The end of a batch may have expired since Spark noted it.
    *
    * Errors: ChangesExpired.
    */
  private def requireEnd(read: ReadSnapshot, end: ReadSnapshot): Unit = {
    val last = table.newest()
    if (end.id.value < last.snapshot.id.value && !table.has(end.id)) {
      val rest = ChangeRequest(SnapshotId(read.id.value + 1), inlined = None)
      last.changes(rows.at.table, rest): Unit
    }
  }

  override def commit(end: Offset): Unit = ()

  override def stop(): Unit = position.foreach(_.end())

  private def reach(needed: SnapshotId): Unit = position.foreach(_.reach(needed))

  /** Errors: StreamCannotContinue when the changes have expired; the errors of the body. */
  private def reading[A](body: => A): A = onDriver {
    try body
    catch {
      case failure @ (_: LakeException | _: DuckLakeException) =>
        SparkErrors.behind(failure).map(_.error) match {
          case Some(expired: LakeError.ChangesExpired) =>
            table.expired(expired, ReaderPosition.name(checkpoint))
          case _ => throw failure
        }
    }
  }

  /** How many snapshots of the lake the stream has not read. */
  override def metrics(consumed: Optional[Offset]): util.Map[String, String] = {
    def read(offset: SnapshotOffset): Option[Long] = offset.read.map(_.id.value)
    val behind = for {
      last <- newest.flatMap(read)
      done <- consumed.toScala.map(SnapshotOffset.of).flatMap(read)
    } yield "snapshotsBehind" -> (last - done).max(0).toString
    behind.toMap.asJava
  }

  /** The text for the progress of a query and for EXPLAIN. */
  override def toString: String = s"stream of ${rows.name}"
}

private object SnapshotStream {
  val LongestWait: Duration = Duration.ofHours(1)
}
