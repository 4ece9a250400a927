package ducklake.spark.parquet.vector

import org.apache.spark.sql.execution.ducklake.RowsToVectors
import org.apache.spark.sql.types.DataType
import org.apache.spark.sql.types.StructField
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.vectorized.ColumnarBatch

/** Batches of at most `batchRows` inlined rows. A batch is made only when it is needed. */
final class InlinedBatches(rows: PackedRows, types: Vector[DataType], batchRows: Int)
    extends AutoCloseable {

  private val schema = StructType(types.zipWithIndex.map { case (dataType, index) =>
    StructField(s"c$index", dataType, nullable = true)
  }.toArray)

  private var next = 0
  private var current: Option[ColumnarBatch] = None

  /** Makes the next batch and closes the previous batch; false at the end. */
  def advance(): Boolean = {
    close()
    val until = math.min(next + batchRows, rows.size)
    current = Option.when(next < until) {
      RowsToVectors.batch(rows.rows(next, until), until - next, schema)
    }
    next = until
    current.nonEmpty
  }

  def batch: ColumnarBatch =
    current.getOrElse(throw new NoSuchElementException("no batch is left"))

  override def close(): Unit = {
    current.foreach(_.close())
    current = None
  }
}
