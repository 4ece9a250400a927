package ducklake.spark.write

import ducklake.catalog.change.NewDataFile
import ducklake.catalog.change.Operation
import org.apache.spark.sql.connector.metric.CustomMetric
import org.apache.spark.sql.connector.metric.CustomSumMetric
import org.apache.spark.sql.connector.metric.CustomTaskMetric

/** What a write added to the lake, for Spark's UI. The driver tells it once all is written: Spark asks
  * tasks for metrics only before they end their files, and rows for the catalog are in no task's file.
  */
object WriteMetrics {

  def all: Array[CustomMetric] =
    Array(new RecordsWritten, new BytesWritten, new FilesWritten, new DeleteFilesWritten)

  /** @param operations that the write handed to its commit */
  def of(operations: Vector[Operation]): Array[CustomTaskMetric] = {
    val files = operations.collect { case Operation.AppendFiles(_, files) => files }.flatten
    val inlined = operations.collect { case Operation.AppendInlined(_, rows) => rows.size }.sum
    val deletes = operations.collect { case gone: Operation.DeleteRows => gone.deleteFiles }.flatten
    Array(
      Counted(new RecordsWritten, recordsOf(files) + inlined),
      Counted(new BytesWritten, bytesOf(files) + deletes.map(_.sizeBytes).sum),
      Counted(new FilesWritten, files.length.toLong),
      Counted(new DeleteFilesWritten, deletes.length.toLong),
    )
  }

  def recordsOf(files: Vector[NewDataFile]): Long = files.map(_.recordCount).sum

  def bytesOf(files: Vector[NewDataFile]): Long = files.map(_.sizeBytes).sum

  private final case class Counted(metric: CustomMetric, override val value: Long)
      extends CustomTaskMetric {
    override def name(): String = metric.name()
  }
}

/** Rows in new data files, and those that the catalog keeps. */
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
