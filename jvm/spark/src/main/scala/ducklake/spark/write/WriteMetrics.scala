package ducklake.spark.write

import ducklake.catalog.change.operation.NewDataFile
import ducklake.spark.read.SumMetric
import ducklake.spark.session.WriteTotals
import org.apache.spark.sql.connector.metric.CustomMetric
import org.apache.spark.sql.connector.metric.CustomTaskMetric

/** The metrics of a write for Spark's UI. The driver reports them after the write has ended: Spark
  * asks tasks for metrics only before they finish their files, and no task's file has the inlined
  * rows.
  */
object WriteMetrics {

  def all: Array[CustomMetric] =
    Array(new RecordsWritten, new BytesWritten, new FilesWritten, new DeleteFilesWritten)

  def of(done: WriteTotals): Array[CustomTaskMetric] =
    Array(
      new RecordsWritten().of(done.rows),
      new BytesWritten().of(done.bytes),
      new FilesWritten().of(done.files),
      new DeleteFilesWritten().of(done.deleteFiles),
    )

  def recordsOf(files: Vector[NewDataFile]): Long = files.map(_.recordCount).sum

  def bytesOf(files: Vector[NewDataFile]): Long = files.map(_.sizeBytes).sum
}

/** Rows in new data files, and inlined rows. */
final class RecordsWritten extends SumMetric("recordsWritten", "rows written")

/** Bytes of new data files and delete files. */
final class BytesWritten extends SumMetric("bytesWritten", "bytes written")

/** New data files. */
final class FilesWritten extends SumMetric("ducklakeFilesWritten", "data files written")

/** New delete files. */
final class DeleteFilesWritten
    extends SumMetric("ducklakeDeleteFilesWritten", "delete files written")
