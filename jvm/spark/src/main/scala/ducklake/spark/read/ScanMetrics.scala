package ducklake.spark.read

import org.apache.spark.sql.connector.metric.CustomMetric
import org.apache.spark.sql.connector.metric.CustomSumMetric

/** Metrics of the driver's work for a scan, for Spark's UI. [[ReadMetrics]] has the metrics of the
  * tasks.
  */
object ScanMetrics {

  private val LongestFilter = 100

  /** The text of a filter for plans and the UI: only the beginning of a long text. */
  def shortened(filter: String): String =
    if (filter.length <= LongestFilter) filter else s"${filter.take(LongestFilter)}…"

  def all: Array[CustomMetric] =
    Array(
      new FilesListed,
      new BytesListed,
      new FilesPruned,
      new BytesPruned,
      new PlanningMillis,
    ) ++ ReadMetrics.all
}

/** Number of data files of the table at the snapshot. */
final class FilesListed extends CustomSumMetric {
  override def name(): String = "ducklakeFilesListed"
  override def description(): String = "data files listed"
}

/** Bytes of these data files. */
final class BytesListed extends CustomSumMetric {
  override def name(): String = "ducklakeBytesListed"
  override def description(): String = "bytes of data files listed"
}

/** Number of data files that were excluded without being opened. */
final class FilesPruned extends CustomSumMetric {
  override def name(): String = "ducklakeFilesPruned"
  override def description(): String = "data files pruned"
}

/** Bytes of these data files. */
final class BytesPruned extends CustomSumMetric {
  override def name(): String = "ducklakeBytesPruned"
  override def description(): String = "bytes of data files pruned"
}

/** Time that planning needed, in the catalog database and in pruning. */
final class PlanningMillis extends CustomSumMetric {
  override def name(): String = "ducklakePlanningMillis"
  override def description(): String = "planning time (ms)"
}
