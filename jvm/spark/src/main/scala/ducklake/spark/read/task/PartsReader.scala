package ducklake.spark.read.task

import ducklake.spark.errors.SparkErrors.inTask
import ducklake.spark.parquet.read.PartBatches
import ducklake.spark.read.BytesRead
import ducklake.spark.read.DeleteFilesRead
import ducklake.spark.read.FilesRead
import ducklake.spark.read.RowGroupsSkipped
import ducklake.spark.read.RowsHidden
import ducklake.spark.read.RowsSkipped
import org.apache.spark.sql.connector.metric.CustomTaskMetric
import org.apache.spark.sql.connector.read.PartitionReader
import org.apache.spark.sql.vectorized.ColumnarBatch

/** A part of a file that a task will read.
  *
  * @param bytes of the part
  * @param deleteFiles how many delete files the file has
  */
private[spark] final case class UnreadPart(bytes: Long, deleteFiles: Int, open: () => PartBatches)

/** Reads parts of files, one after another. */
private[spark] final class PartsReader(parts: Iterator[UnreadPart])
    extends PartitionReader[ColumnarBatch] {

  private var current: Option[PartBatches] = None
  private var batch: Option[ColumnarBatch] = None
  private var files = 0L
  private var bytes = 0L
  private var deleteFiles = 0L
  private var hiddenInClosedParts = 0L
  private var rowsSkippedInClosedParts = 0L
  private var groupsSkippedInClosedParts = 0L

  override def next(): Boolean = inTask {
    batch = nextBatch()
    batch.nonEmpty
  }

  override def get(): ColumnarBatch =
    batch.getOrElse(throw new NoSuchElementException("no batch is left"))

  override def close(): Unit = {
    batch = None
    closeCurrent()
  }

  override def currentMetricsValues(): Array[CustomTaskMetric] =
    Array(
      new FilesRead().of(files),
      new BytesRead().of(bytes),
      new DeleteFilesRead().of(deleteFiles),
      new RowsHidden().of(hiddenInClosedParts + current.fold(0L)(_.rowsHidden)),
      new RowsSkipped().of(rowsSkippedInClosedParts + current.fold(0L)(_.rowsSkipped)),
      new RowGroupsSkipped().of(groupsSkippedInClosedParts + current.fold(0L)(_.groupsSkipped)),
    )

  @annotation.tailrec
  private def nextBatch(): Option[ColumnarBatch] =
    current.flatMap(_.next()) match {
      case Some(found) => Some(found)
      case None if parts.hasNext =>
        closeCurrent()
        current = Some(open(parts.next()))
        nextBatch()
      case None => None
    }

  private def open(part: UnreadPart): PartBatches = {
    files += 1
    bytes += part.bytes
    deleteFiles += part.deleteFiles
    part.open()
  }

  private def closeCurrent(): Unit = {
    current.foreach { open =>
      hiddenInClosedParts += open.rowsHidden
      rowsSkippedInClosedParts += open.rowsSkipped
      groupsSkippedInClosedParts += open.groupsSkipped
      open.close()
    }
    current = None
  }
}
