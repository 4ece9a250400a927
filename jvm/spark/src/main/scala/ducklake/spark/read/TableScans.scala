package ducklake.spark.read

import ducklake.spark.config.StatementOptions
import ducklake.spark.errors.SparkErrors.onDriver
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

/** Scans of tables. */
object TableScans {

  /** The builder of a scan, which Spark runs as a batch or as a stream.
    *
    * @param stream opens the stream with a checkpoint at a place
    */
  def builder(
      at: TableAtSnapshot,
      options: CaseInsensitiveStringMap,
      stream: String => MicroBatchStream,
  ): ScanBuilder =
    if (StatementOptions.areOfRead(options.asCaseSensitiveMap().asScala.keys))
      new DuckLakeScanBuilder(at, options, isRowLevel = false, Some(stream))
    else new StreamOnlyScan(at, options, stream)
}

/** A scan of a table with options that batches do not have. Spark reads nothing from it before it
  * chooses between a batch and a stream.
  */
private final class StreamOnlyScan(
    at: TableAtSnapshot,
    options: CaseInsensitiveStringMap,
    open: String => MicroBatchStream,
) extends StreamedScan
    with ScanBuilder {

  override protected def stream: Option[String => MicroBatchStream] = Some(open)

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
