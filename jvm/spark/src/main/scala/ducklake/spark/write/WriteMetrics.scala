package ducklake.spark.write

import ducklake.catalog.change.NewDataFile
import org.apache.spark.sql.connector.metric.CustomMetric
import org.apache.spark.sql.connector.metric.CustomSumMetric
import org.apache.spark.sql.connector.metric.CustomTaskMetric

/** What tasks wrote, for Spark's UI. The first two names also feed Spark's own output metrics. */
object WriteMetrics {

  def all: Array[CustomMetric] = Array(new RecordsWritten, new BytesWritten, new FilesWritten)

  /** @param held rows for the catalog */
  def of(files: Vector[NewDataFile], held: Int): Array[CustomTaskMetric] =
    Array(
      Counted(new RecordsWritten, files.map(_.recordCount).sum + held),
      Counted(new BytesWritten, files.map(_.sizeBytes).sum),
      Counted(new FilesWritten, files.length.toLong),
    )

  private final case class Counted(metric: CustomMetric, override val value: Long)
      extends CustomTaskMetric {
    override def name(): String = metric.name()
  }
}

/** Rows of finished files, and those for the catalog. */
final class RecordsWritten extends CustomSumMetric {
  override def name(): String = "recordsWritten"
  override def description(): String = "rows written"
}

/** Bytes of finished files. */
final class BytesWritten extends CustomSumMetric {
  override def name(): String = "bytesWritten"
  override def description(): String = "bytes written"
}

/** Finished files. */
final class FilesWritten extends CustomSumMetric {
  override def name(): String = "ducklakeFilesWritten"
  override def description(): String = "data files written"
}
