package ducklake.spark.read

import org.apache.spark.sql.connector.metric.CustomMetric
import org.apache.spark.sql.connector.metric.CustomSumMetric
import org.apache.spark.sql.connector.metric.CustomTaskMetric

/** What the tasks of a scan did, for Spark's UI. Spark makes the metrics by class name. */
object ReadMetrics {

  /** What a scan that is read by [[DuckLakeReaderFactory]] supports. */
  def all: Array[CustomMetric] =
    Array(new FilesRead, new BytesRead, new DeleteFilesRead, new RowsHidden, new InlinedRows)

  private[read] def value(metric: CustomMetric, count: Long): CustomTaskMetric =
    new CustomTaskMetric {
      override def name(): String = metric.name()
      override def value(): Long = count
    }
}

/** Parts of data files that were opened. */
final class FilesRead extends CustomSumMetric {
  override def name(): String = "ducklakeFilesRead"
  override def description(): String = "data file parts read"
}

/** Their bytes, whether or not all of them were needed. */
final class BytesRead extends CustomSumMetric {
  override def name(): String = "ducklakeBytesRead"
  override def description(): String = "bytes of data file parts read"
}

/** Delete files that were applied. */
final class DeleteFilesRead extends CustomSumMetric {
  override def name(): String = "ducklakeDeleteFilesRead"
  override def description(): String = "delete files applied"
}

/** Rows that were decoded and left out: deleted, or of a later snapshot. */
final class RowsHidden extends CustomSumMetric {
  override def name(): String = "ducklakeRowsHidden"
  override def description(): String = "deleted rows left out"
}

/** Rows that came from the catalog. */
final class InlinedRows extends CustomSumMetric {
  override def name(): String = "ducklakeInlinedRows"
  override def description(): String = "inlined rows read"
}
