package ducklake.spark.read

import org.apache.spark.sql.connector.metric.CustomMetric
import org.apache.spark.sql.connector.metric.CustomSumMetric
import org.apache.spark.sql.connector.metric.CustomTaskMetric

/** A number for Spark's UI. The numbers of tasks are added. Spark creates metrics by class name, so
  * each metric is a class.
  */
abstract class SumMetric(override val name: String, override val description: String)
    extends CustomSumMetric {

  /** The metric's value in one task, or on the driver. */
  def of(count: Long): CustomTaskMetric = MetricValue(name, count)
}

private final case class MetricValue(override val name: String, override val value: Long)
    extends CustomTaskMetric

/** Metrics of the tasks of a scan. */
object ReadMetrics {

  /** The metrics of the readers. */
  def all: Array[CustomMetric] =
    Array(
      new FilesRead,
      new BytesRead,
      new DeleteFilesRead,
      new RowsHidden,
      new RowsSkipped,
      new RowGroupsSkipped,
      new InlinedRows,
    )
}

/** Number of parts of data files that were opened. */
final class FilesRead extends SumMetric("ducklakeFilesRead", "data file parts read")

/** Bytes of the opened parts, including bytes that were not needed. */
final class BytesRead extends SumMetric("ducklakeBytesRead", "bytes of data file parts read")

/** Number of delete files that were applied. */
final class DeleteFilesRead extends SumMetric("ducklakeDeleteFilesRead", "delete files applied")

/** Number of rows that were decoded and left out, because they are deleted or belong to a later
  * snapshot.
  */
final class RowsHidden extends SumMetric("ducklakeRowsHidden", "deleted rows left out")

/** Number of rows of which at most the columns of filters were read, because the rows do not match.
  */
final class RowsSkipped extends SumMetric("ducklakeRowsSkipped", "rows skipped by filters")

/** Number of row groups of which at most the columns of filters were read. Row groups that
  * statistics exclude do not count.
  */
final class RowGroupsSkipped
    extends SumMetric("ducklakeRowGroupsSkipped", "row groups skipped by filters")

/** Number of rows that were read from the catalog. */
final class InlinedRows extends SumMetric("ducklakeInlinedRows", "inlined rows read")
