package ducklake.spark.changes

import ducklake.catalog.listing.ChangeBound
import ducklake.catalog.model.SnapshotRange
import ducklake.catalog.predicate.Predicate
import ducklake.catalog.types.SnapshotId
import ducklake.spark.changes.plan.FeedFilters
import ducklake.spark.changes.plan.FeedPlanning
import ducklake.spark.errors.SparkErrors.onDriver
import ducklake.spark.predicate.SparkPredicates
import ducklake.spark.read.ReadMetrics
import ducklake.spark.read.ScanMetrics
import ducklake.spark.read.StreamedScan
import ducklake.spark.session.TableAtSnapshot
import org.apache.spark.sql.connector.expressions.filter
import org.apache.spark.sql.connector.metric.CustomMetric
import org.apache.spark.sql.connector.read.Batch
import org.apache.spark.sql.connector.read.InputPartition
import org.apache.spark.sql.connector.read.PartitionReaderFactory
import org.apache.spark.sql.connector.read.Scan
import org.apache.spark.sql.connector.read.Scan.ColumnarSupportMode
import org.apache.spark.sql.connector.read.Statistics
import org.apache.spark.sql.connector.read.SupportsPushDownRequiredColumns
import org.apache.spark.sql.connector.read.SupportsPushDownV2Filters
import org.apache.spark.sql.connector.read.streaming.MicroBatchStream
import org.apache.spark.sql.types.StructField
import org.apache.spark.sql.types.StructType

/** Collects the columns and filters that Spark pushes down to a change feed. Spark calls the
  * builder from one thread.
  *
  * @param snapshots the range that is read as a batch
  * @param stream see [[StreamedScan]]
  */
private[changes] final class ChangeFeedScanBuilder(
    at: TableAtSnapshot,
    kind: FeedKind,
    snapshots: () => SnapshotRange,
    stream: Option[String => MicroBatchStream],
) extends SupportsPushDownV2Filters
    with SupportsPushDownRequiredColumns {

  private val columns = new FeedColumns(at, kind)
  private val translator = new SparkPredicates(columns.table.columns)

  // Spark pushes down one part after another; `build` makes one immutable value of the parts.
  private var predicates: Vector[Predicate] = Vector.empty
  private var described: Vector[filter.Predicate] = Vector.empty
  private var filters = new FeedFilters(Map.empty, Vector.empty)
  private var schema: StructType = columns.schema

  /** The filters on columns of the table are used to choose row groups: each image of a row has its
    * own values. Filters on the feed's own columns choose snapshots and sides. All filters are
    * returned to Spark, which evaluates them for each row.
    */
  override def pushPredicates(pushed: Array[filter.Predicate]): Array[filter.Predicate] = {
    val translated = pushed.toVector.flatMap(p => translator.translate(p).map(p -> _))
    described = translated.map(_._1)
    predicates = translated.map(_._2)
    filters = new FeedFilters(columns.own, pushed.toVector)
    pushed
  }

  override def pushedPredicates(): Array[filter.Predicate] = described.toArray

  override def pruneColumns(required: StructType): Unit = schema = required

  override def build(): Scan = {
    val (asked, conditions, choice) = (schema, predicates, filters)
    def request: FeedRequest = {
      val range = snapshots()
      val wanted = this.wanted(range, choice.within(range))
      val sides = choice.among(kind.sides)
      FeedRequest(at, kind, range, wanted, sides, columns.of(asked), asked, conditions)
    }
    new ChangeFeedScan(asked, request, described.map(_.toString), stream)
  }

  /** The snapshots that remain under the filters. The whole range, when the catalog has lost an end
    * of the remaining range: the error then names the requested range.
    */
  private def wanted(range: SnapshotRange, left: SnapshotRange): SnapshotRange =
    if (left == range || left.isEmpty) left
    else {
      val (first, last) = (ChangeBound.version(left.first), ChangeBound.version(left.last))
      at.session.lake.changeRange(first, last).getOrElse(range)
    }
}

/** Reads the changes of a range of snapshots. The changes are listed once, when Spark first needs
  * them.
  *
  * @param requested the batch to read; not needed by a stream
  */
private[spark] final class ChangeFeedScan(
    schema: StructType,
    requested: => FeedRequest,
    filters: Vector[String],
    protected val stream: Option[String => MicroBatchStream],
) extends StreamedScan {

  lazy val request: FeedRequest = onDriver(requested)

  private lazy val planning = new FeedPlanning(request)

  override def readSchema(): StructType = schema

  override protected def batchDescription: String = {
    val (first, last) = (request.wanted.first.value, request.wanted.last.value)
    val pushed = filters.map(ScanMetrics.shortened).mkString("filters [", ", ", "]")
    s"${request.at.name} ${request.kind.tableName} of snapshots $first to $last ($pushed)"
  }

  override def toBatch: Batch = new ChangeFeedBatch(request, this)

  override def columnarSupportMode(): ColumnarSupportMode = ColumnarSupportMode.SUPPORTED

  override protected def batchStatistics: Statistics = planning.statistics

  override def supportedCustomMetrics(): Array[CustomMetric] = ReadMetrics.all

  def partitions(): Array[InputPartition] = onDriver(planning.tasks.toArray)

  def factory(): PartitionReaderFactory = onDriver(planning.factory)
}

/** A batch that is equal to another batch when their requests are equal, so that Spark reads a feed
  * once when a plan contains it twice.
  */
private final class ChangeFeedBatch(val request: FeedRequest, scan: ChangeFeedScan) extends Batch {

  override def planInputPartitions(): Array[InputPartition] = scan.partitions()

  override def createReaderFactory(): PartitionReaderFactory = scan.factory()

  override def equals(other: Any): Boolean = other match {
    case that: ChangeFeedBatch => request == that.request
    case _ => false
  }

  override def hashCode(): Int = request.hashCode()
}

/** Change feeds for streams, which read one range of snapshots after another. */
object ChangeFeed {

  /** The columns of a feed, then its hidden columns. */
  def columns(at: TableAtSnapshot, kind: FeedKind): StructType = {
    val columns = new FeedColumns(at, kind)
    val hidden = columns.hidden
      .filter(column => columns.own.contains(column.name))
      .map(column => StructField(column.name, column.dataType, column.isNullable))
    StructType(columns.schema.fields ++ hidden)
  }

  /** A range of a feed.
    *
    * @param leftOut snapshots of the range whose changes are left out
    * @param wanted chooses among all [[columns]]
    * @param filters all must hold; rows for which one is false may still be returned
    */
  def batch(
      at: TableAtSnapshot,
      kind: FeedKind,
      range: SnapshotRange,
      leftOut: Set[SnapshotId],
      wanted: StructType => StructType,
      filters: Vector[filter.Predicate],
  ): Batch = {
    val schema = wanted(columns(at, kind))
    val known = new FeedColumns(at, kind)
    val request = FeedRequest(
      at,
      kind,
      range,
      range,
      new FeedFilters(known.own, filters).among(kind.sides),
      known.of(schema),
      schema,
      filters.flatMap(new SparkPredicates(known.table.columns).translate),
      leftOut,
    )
    new ChangeFeedScan(schema, request, Vector.empty, stream = None).toBatch
  }
}
