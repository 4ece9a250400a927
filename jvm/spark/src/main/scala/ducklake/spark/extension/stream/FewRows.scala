package ducklake.spark.extension.stream

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeRow

/** Rows that the driver takes when they are few. */
private[stream] object FewRows {

  /** Of so many rows, and bytes of a task. */
  private val Most = 10000
  private val MostBytes = 1L << 20

  /** All rows, each an object of its own; None when they are many. */
  def of(rows: RDD[InternalRow]): Option[Vector[InternalRow]] = {
    val parts = rows.sparkContext.runJob(rows, ofTask(_))
    Option.when(parts.forall(_.nonEmpty))(parts.toVector.flatten.flatten).filter(_.size <= Most)
  }

  /** All rows of a task; None when they are many. */
  private def ofTask(rows: Iterator[InternalRow]): Option[Array[InternalRow]] = {
    val taken = Array.newBuilder[InternalRow]
    var (count, bytes) = (0, 0L)
    while (rows.hasNext && count <= Most && bytes <= MostBytes) {
      rows.next() match {
        case row: UnsafeRow =>
          taken += row
          bytes += row.getSizeInBytes
        case other => throw new IllegalStateException(s"unexpected row ${other.getClass}")
      }
      count += 1
    }
    Option.when(count <= Most && bytes <= MostBytes)(taken.result())
  }
}
