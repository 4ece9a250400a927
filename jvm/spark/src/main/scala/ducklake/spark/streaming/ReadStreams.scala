package ducklake.spark.streaming

import ducklake.spark.changes.FeedKind
import ducklake.spark.config.StatementOptions
import ducklake.spark.errors.SparkErrors.onDriver
import ducklake.spark.read.DuckLakeScanBuilder
import ducklake.spark.read.ReadColumns
import ducklake.spark.read.ReadMetrics
import ducklake.spark.read.StreamedScan
import ducklake.spark.session.TableAtSnapshot
import org.apache.spark.sql.connector.metric.CustomMetric
import org.apache.spark.sql.connector.read.Batch
import org.apache.spark.sql.connector.read.Scan
import org.apache.spark.sql.connector.read.Scan.ColumnarSupportMode
import org.apache.spark.sql.connector.read.ScanBuilder
import org.apache.spark.sql.connector.read.Statistics
import org.apache.spark.sql.connector.read.streaming.MicroBatchStream
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.util.CaseInsensitiveStringMap

import scala.jdk.CollectionConverters.MapHasAsScala

/** Opens the streams of tables and of change feeds. */
object ReadStreams {

  /** The builder of scans of a table, which are read as batches or as streams. */
  def scanBuilder(at: TableAtSnapshot, options: CaseInsensitiveStringMap): ScanBuilder = {
    val open = () => ofTable(at, options)
    if (StatementOptions.areOfRead(options.asCaseSensitiveMap().asScala.keys))
      new DuckLakeScanBuilder(at, options, isRowLevel = false, Some(open))
    else new StreamOnlyScan(at, options, open)
  }

  private def ofTable(at: TableAtSnapshot, options: CaseInsensitiveStringMap): MicroBatchStream = {
    val parsed = ReadStreamOptions.ofTable(options)
    val table = new FollowedTable(at)
    new SnapshotStream(new StreamedRows.OfTable(at, parsed.changedRows, table), table, parsed)
  }

  /** Opens the stream of a change feed for read options. Errors: InvalidSetting, InvalidArgument.
    */
  def ofFeed(at: TableAtSnapshot, kind: FeedKind): CaseInsensitiveStringMap => MicroBatchStream = {
    options =>
      val parsed = ReadStreamOptions.ofFeed(options)
      new SnapshotStream(new StreamedRows.OfFeed(at, kind), new FollowedTable(at), parsed)
  }
}

/** A scan of a table with options that batches do not have. Spark reads nothing from it before it
  * chooses between a batch and a stream.
  */
private final class StreamOnlyScan(
    at: TableAtSnapshot,
    options: CaseInsensitiveStringMap,
    open: () => MicroBatchStream,
) extends StreamedScan
    with ScanBuilder {

  override protected def stream: Option[() => MicroBatchStream] = Some(open)

  override def build(): Scan = this

  override def readSchema(): StructType = ReadColumns.all(at)

  override protected def batchDescription: String = at.name

  override protected def batchStatistics: Statistics = refuse()

  override def toBatch: Batch = onDriver(refuse())

  override def columnarSupportMode(): ColumnarSupportMode = ColumnarSupportMode.SUPPORTED

  override def supportedCustomMetrics(): Array[CustomMetric] = ReadMetrics.all

  private def refuse(): Nothing = {
    StatementOptions.checkRead(options.asCaseSensitiveMap().asScala.keys)
    throw new IllegalStateException("these are options of a batch")
  }
}
