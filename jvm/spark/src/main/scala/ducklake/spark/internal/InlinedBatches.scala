package ducklake.spark.internal

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.execution.ducklake.RowsToVectors
import org.apache.spark.sql.types.DataType
import org.apache.spark.sql.types.StructField
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.vectorized.ColumnarBatch

/** Rows as batches of at most `batchRows`, each made when it is asked for. */
final class InlinedBatches(rows: Vector[InternalRow], types: Vector[DataType], batchRows: Int)
    extends AutoCloseable {

  private val schema = StructType(types.zipWithIndex.map { case (dataType, index) =>
    StructField(s"c$index", dataType, nullable = true)
  }.toArray)

  private val groups = rows.grouped(batchRows)
  private var current: Option[ColumnarBatch] = None

  def advance(): Boolean = {
    close()
    current = groups.nextOption().map(RowsToVectors.batch(_, schema))
    current.nonEmpty
  }

  def batch: ColumnarBatch =
    current.getOrElse(throw new NoSuchElementException("no batch is left"))

  override def close(): Unit = {
    current.foreach(_.close())
    current = None
  }
}
