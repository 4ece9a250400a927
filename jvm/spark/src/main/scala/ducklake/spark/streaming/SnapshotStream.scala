package ducklake.spark.streaming

import ducklake.catalog.LakeSnapshot
import ducklake.catalog.listing.ChangeBound
import ducklake.catalog.listing.ChangeRequest
import ducklake.catalog.model.SnapshotRange
import ducklake.catalog.types.SnapshotId
import ducklake.spark.errors.SparkErrors
import ducklake.spark.errors.SparkErrors.onDriver
import ducklake.spark.session.TableAtSnapshot
import ducklake.spark.sparkapi.stream.PolledStream
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

import scala.annotation.tailrec
import scala.jdk.CollectionConverters.MapHasAsJava
import scala.jdk.OptionConverters.RichOptional

/** A stream that goes from snapshot to snapshot. Each of its batches is the batch read of a range;
  * this class chooses the ranges. Spark calls it from one thread.
  *
  * Source: decision 20.
  */
private[streaming] final class SnapshotStream(
    rows: StreamedRows,
    table: FollowedTable,
    options: ReadStreamOptions,
) extends MicroBatchStream
    with SupportsTriggerAvailableNow
    with ReportsSourceMetrics {
  import SnapshotStream.FirstWindow
  import SnapshotStream.LongestWait

  private val lake = rows.at.session.lake
  private val id = rows.at.table.uuid
  private val idle =
    new IdleAnswer(() => lake.newestTime(), () => PolledStream.isRunning, () => System.nanoTime())

  // The state between Spark's calls; other threads read the progress of a query.
  @volatile private var endOfRun: Option[LakeSnapshot] = None
  @volatile private var newest: Option[SnapshotOffset] = None
  @volatile private var planned: Option[PlannedBatch] = None
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
  override def latestOffset(start: Offset, limit: ReadLimit): Offset =
    onDriver(next(SnapshotOffset.of(start), AdmissionLimit.of(limit))).orNull

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
    from.read match {
      case None => newest
      case Some(read) if read.id == last.snapshot.id => None
      case Some(read) => next(read, last, limit).map(end => SnapshotOffset.at(id, end.snapshot))
    }
  }

  /** While the table does not change, the stream keeps its position: each batch may cause a commit
    * of its sink, which may be in the same lake. It advances after an hour, before the snapshots
    * after its position expire.
    */
  private def next(
      read: ReadSnapshot,
      last: LakeSnapshot,
      limit: AdmissionLimit,
  ): Option[LakeSnapshot] = {
    val first = read.id.value + 1
    // A lake that was restored from a copy may have had later snapshots before.
    if (last.snapshot.id.value < unchangedUpTo) unchangedUpTo = read.id.value
    val unknown = SnapshotId(first.max(unchangedUpTo + 1))
    val isChanged = last.firstEntries(rows.at.table.id, unknown)(_.mayChangeRows).nonEmpty
    if (isChanged) Some(endOfBatch(SnapshotId(first), last, limit, FirstWindow))
    else {
      unchangedUpTo = last.snapshot.id.value
      def waited = read.time.map(Duration.between(_, last.snapshot.time))
      Option.when(waited.forall(_.compareTo(LongestWait) > 0))(last)
    }
  }

  /** The last snapshot of a batch. The snapshots are read in windows, each twice as long as the
    * window before, so that the cost of a batch depends on its own size, even if the stream is far
    * behind.
    */
  @tailrec
  private def endOfBatch(
      first: SnapshotId,
      last: LakeSnapshot,
      limit: AdmissionLimit,
      window: Long,
  ): LakeSnapshot =
    if (limit.isNone) last
    else {
      val ofWindow = SnapshotId(first.value + window - 1)
      val isLast = ofWindow.value >= last.snapshot.id.value || !table.has(ofWindow)
      val end = if (isLast) last else lake.at(ofWindow)
      val at = new TableAtSnapshot(rows.at.session, end, rows.at.table, isPast = true)
      limit.firstOver(ChangeSize.since(first, at, rows.kind.sides)) match {
        case Some(over) => lake.at(SnapshotId(over.value - 1))
        case None if isLast => last
        case None => endOfBatch(first, last, limit, window * 2)
      }
    }

  /** A query that has the stream twice plans each batch twice, and both readers may be made by the
    * factory of the second: they must be of the same plan.
    */
  override def planInputPartitions(start: Offset, end: Offset): Array[InputPartition] = onDriver {
    val (from, to) = (SnapshotOffset.of(start), SnapshotOffset.of(end))
    val found = planned
      .filter(last => last.from == from && last.to == to)
      .getOrElse(PlannedBatch(from, to, batchOf(from, to)))
    planned = Some(found)
    found.batch.planInputPartitions()
  }

  /** From the batch that was planned last. */
  override def createReaderFactory(): PartitionReaderFactory =
    planned
      .getOrElse(throw new IllegalStateException("no batch was planned"))
      .batch
      .createReaderFactory()

  private def batchOf(from: SnapshotOffset, to: SnapshotOffset): Batch = {
    val end = to.read.getOrElse(throw new IllegalStateException("a batch ends at a snapshot"))
    from.read.foreach(requireEnd(_, end))
    val last = table.snapshot(end)
    table.check(from, last)
    from.read match {
      case None => rows.whole(last)
      case Some(read) =>
        rows.between(SnapshotRange(SnapshotId(read.id.value + 1), end.id), last)
    }
  }

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

  override def stop(): Unit = ()

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

private final case class PlannedBatch(from: SnapshotOffset, to: SnapshotOffset, batch: Batch)

private object SnapshotStream {

  /** The number of snapshots that are read first for the end of a limited batch. */
  val FirstWindow = 64L

  val LongestWait: Duration = Duration.ofHours(1)
}
