package ducklake.spark.read

import org.apache.spark.sql.connector.metric.CustomMetric
import org.apache.spark.sql.connector.metric.CustomSumMetric

/** What the driver did for a scan, for Spark's UI; the tasks' part is [[ReadMetrics]]. */
object ScanMetrics {

  private val LongestFilter = 100

  /** A filter for people: of a long list of values only the begin. */
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

/** Data files of the table at the snapshot. */
final class FilesListed extends CustomSumMetric {
  override def name(): String = "ducklakeFilesListed"
  override def description(): String = "data files listed"
}

/** Their bytes. */
final class BytesListed extends CustomSumMetric {
  override def name(): String = "ducklakeBytesListed"
  override def description(): String = "bytes of data files listed"
}

/** Data files left out before any was opened. */
final class FilesPruned extends CustomSumMetric {
  override def name(): String = "ducklakeFilesPruned"
  override def description(): String = "data files pruned"
}

/** Their bytes. */
final class BytesPruned extends CustomSumMetric {
  override def name(): String = "ducklakeBytesPruned"
  override def description(): String = "bytes of data files pruned"
}

/** Time in the catalog database and in pruning. */
final class PlanningMillis extends CustomSumMetric {
  override def name(): String = "ducklakePlanningMillis"
  override def description(): String = "planning time (ms)"
}
