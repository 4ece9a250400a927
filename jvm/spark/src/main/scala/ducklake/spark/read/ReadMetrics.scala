package ducklake.spark.read

import org.apache.spark.sql.connector.metric.CustomMetric
import org.apache.spark.sql.connector.metric.CustomSumMetric
import org.apache.spark.sql.connector.metric.CustomTaskMetric

/** Metrics of the tasks of a scan, for Spark's UI. Spark creates the metrics by class name. */
object ReadMetrics {

  /** The metrics of the readers. */
  def all: Array[CustomMetric] =
    Array(new FilesRead, new BytesRead, new DeleteFilesRead, new RowsHidden, new InlinedRows)

  private[spark] def value(metric: CustomMetric, count: Long): CustomTaskMetric =
    new CustomTaskMetric {
      override def name(): String = metric.name()
      override def value(): Long = count
    }
}

/** Number of parts of data files that were opened. */
final class FilesRead extends CustomSumMetric {
  override def name(): String = "ducklakeFilesRead"
  override def description(): String = "data file parts read"
}

/** Bytes of the opened parts, including bytes that were not needed. */
final class BytesRead extends CustomSumMetric {
  override def name(): String = "ducklakeBytesRead"
  override def description(): String = "bytes of data file parts read"
}

/** Number of delete files that were applied. */
final class DeleteFilesRead extends CustomSumMetric {
  override def name(): String = "ducklakeDeleteFilesRead"
  override def description(): String = "delete files applied"
}

/** Number of rows that were decoded and left out, because they are deleted or belong to a later
  * snapshot.
  */
final class RowsHidden extends CustomSumMetric {
  override def name(): String = "ducklakeRowsHidden"
  override def description(): String = "deleted rows left out"
}

/** Number of rows that were read from the catalog. */
final class InlinedRows extends CustomSumMetric {
  override def name(): String = "ducklakeInlinedRows"
  override def description(): String = "inlined rows read"
}
