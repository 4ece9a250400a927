package ducklake.spark.streaming

import ducklake.catalog.error.LakeError
import ducklake.spark.errors.SparkErrors
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.connector.metric.CustomTaskMetric
import org.apache.spark.sql.connector.read.Batch
import org.apache.spark.sql.connector.read.InputPartition
import org.apache.spark.sql.connector.read.PartitionReader
import org.apache.spark.sql.connector.read.PartitionReaderFactory
import org.apache.spark.sql.vectorized.ColumnVector
import org.apache.spark.sql.vectorized.ColumnarBatch

/** A batch of a stream of a table, without hidden columns. A query may name hidden columns, and
  * Spark does not show a stream which columns a query names. So they are refused when the first
  * rows are read.
  */
private[streaming] final class HiddenColumnsRefusal(batch: Batch, table: String) extends Batch {

  override def planInputPartitions(): Array[InputPartition] = batch.planInputPartitions()

  override def createReaderFactory(): PartitionReaderFactory =
    WithoutHiddenFactory(batch.createReaderFactory(), table)
}

private final case class WithoutHiddenFactory(under: PartitionReaderFactory, table: String)
    extends PartitionReaderFactory {

  override def supportColumnarReads(partition: InputPartition): Boolean =
    under.supportColumnarReads(partition)

  override def createReader(partition: InputPartition): PartitionReader[InternalRow] =
    under.createReader(partition)

  override def createColumnarReader(partition: InputPartition): PartitionReader[ColumnarBatch] =
    new WithoutHiddenReader(under.createColumnarReader(partition), table)
}

private final class WithoutHiddenReader(under: PartitionReader[ColumnarBatch], table: String)
    extends PartitionReader[ColumnarBatch] {

  override def next(): Boolean = under.next()

  override def get(): ColumnarBatch = {
    val batch = under.get()
    val columns = Array.tabulate(batch.numCols())(batch.column)
    new OwnColumns(columns, batch.numRows(), table)
  }

  override def close(): Unit = under.close()

  override def currentMetricsValues(): Array[CustomTaskMetric] = under.currentMetricsValues()
}

private final class OwnColumns(own: Array[ColumnVector], rows: Int, table: String)
    extends ColumnarBatch(own, rows) {

  override def column(ordinal: Int): ColumnVector =
    if (ordinal < numCols()) super.column(ordinal)
    else
      SparkErrors.failTask(
        LakeError.Unsupported(
          s"A hidden column in a stream of $table",
          s"A stream of `$table.insertions` has `rowid` and `snapshot_id`.",
        )
      )
}
