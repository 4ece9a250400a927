package ducklake.spark.read

import org.apache.spark.sql.connector.metric.CustomMetric

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
final class FilesListed extends SumMetric("ducklakeFilesListed", "data files listed")

/** Bytes of these data files. */
final class BytesListed extends SumMetric("ducklakeBytesListed", "bytes of data files listed")

/** Number of data files that were excluded without being opened. */
final class FilesPruned extends SumMetric("ducklakeFilesPruned", "data files pruned")

/** Bytes of these data files. */
final class BytesPruned extends SumMetric("ducklakeBytesPruned", "bytes of data files pruned")

/** Time that planning needed, in the catalog database and in pruning. */
final class PlanningMillis extends SumMetric("ducklakePlanningMillis", "planning time (ms)")
