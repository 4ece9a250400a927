package ducklake.spark.write

import ducklake.catalog.change.operation.NewDataFile
import ducklake.catalog.change.operation.Operation
import org.apache.spark.sql.connector.metric.CustomMetric
import org.apache.spark.sql.connector.metric.CustomSumMetric
import org.apache.spark.sql.connector.metric.CustomTaskMetric

/** The metrics of a write for Spark's UI. The driver reports them after the write has ended: Spark
  * asks tasks for metrics only before they finish their files, and no task's file has the inlined
  * rows.
  */
object WriteMetrics {

  def all: Array[CustomMetric] =
    Array(new RecordsWritten, new BytesWritten, new FilesWritten, new DeleteFilesWritten)

  /** @param operations that the write committed or staged
    */
  def of(operations: Vector[Operation]): Array[CustomTaskMetric] = {
    val files = operations.collect { case Operation.AppendFiles(_, files) => files }.flatten
    val inlined = operations.collect { case Operation.AppendInlined(_, rows) => rows.size }.sum
    val deletes = operations.collect { case delete: Operation.DeleteRows =>
      delete.deleteFiles
    }.flatten
    Array(
      MetricValue(new RecordsWritten, recordsOf(files) + inlined),
      MetricValue(new BytesWritten, bytesOf(files) + deletes.map(_.physical.sizeBytes).sum),
      MetricValue(new FilesWritten, files.length.toLong),
      MetricValue(new DeleteFilesWritten, deletes.length.toLong),
    )
  }

  def recordsOf(files: Vector[NewDataFile]): Long = files.map(_.recordCount).sum

  def bytesOf(files: Vector[NewDataFile]): Long = files.map(_.sizeBytes).sum

  private final case class MetricValue(metric: CustomMetric, override val value: Long)
      extends CustomTaskMetric {
    override def name(): String = metric.name()
  }
}

/** Rows in new data files, and inlined rows. */
final class RecordsWritten extends CustomSumMetric {
  override def name(): String = "recordsWritten"
  override def description(): String = "rows written"
}

/** Bytes of new data files and delete files. */
final class BytesWritten extends CustomSumMetric {
  override def name(): String = "bytesWritten"
  override def description(): String = "bytes written"
}

/** New data files. */
final class FilesWritten extends CustomSumMetric {
  override def name(): String = "ducklakeFilesWritten"
  override def description(): String = "data files written"
}

/** New delete files. */
final class DeleteFilesWritten extends CustomSumMetric {
  override def name(): String = "ducklakeDeleteFilesWritten"
  override def description(): String = "delete files written"
}
