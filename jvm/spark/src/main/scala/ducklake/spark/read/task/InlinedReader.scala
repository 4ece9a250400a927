package ducklake.spark.read.task

import ducklake.spark.errors.SparkErrors.inTask
import ducklake.spark.parquet.vector.InlinedBatches
import ducklake.spark.parquet.vector.RowPage
import ducklake.spark.read.InlinedRows
import org.apache.spark.sql.connector.metric.CustomTaskMetric
import org.apache.spark.sql.connector.read.PartitionReader
import org.apache.spark.sql.types.DataType
import org.apache.spark.sql.vectorized.ColumnarBatch

/** Reads the inlined rows that the task contains.
  *
  * @param types of the rows' values
  * @param batchRows the most rows in a batch
  * @param shown makes the batch of the scan's columns of a batch of the rows
  */
private[spark] final class InlinedReader(
    page: RowPage,
    types: Vector[DataType],
    batchRows: Int,
    shown: ColumnarBatch => ColumnarBatch,
) extends PartitionReader[ColumnarBatch] {

  private lazy val batches = new InlinedBatches(page.rows, types, batchRows)

  override def next(): Boolean = batches.advance()

  override def get(): ColumnarBatch = inTask(shown(batches.batch))

  override def close(): Unit = batches.close()

  override def currentMetricsValues(): Array[CustomTaskMetric] =
    Array(new InlinedRows().of(page.size.toLong))
}
