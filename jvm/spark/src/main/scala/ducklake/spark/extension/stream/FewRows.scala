package ducklake.spark.extension.stream

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeRow

/** Rows that the driver takes when they are few. It never gets much more than few rows are: a task
  * with more than its share only counts them, and they are fetched when those of all tasks are few.
  */
private[stream] object FewRows {

  private val Most = 10000
  private val MostBytes = 4L << 20

  /** The least share, so that the rows of one task of many are fetched at once. */
  private val LeastShare = 16L << 10

  /** All rows, each an object of its own; None when they are many.
    *
    * @param rows are computed again in tasks that have more than their share
    */
  def of(rows: RDD[InternalRow]): Option[Vector[InternalRow]] = {
    val share = (MostBytes / rows.getNumPartitions.max(1)).max(LeastShare)
    val parts = rows.sparkContext.runJob(rows, part(share, _)).toVector
    val areFew = parts.map(_.count.toLong).sum <= Most && parts.map(_.bytes).sum <= MostBytes
    Option.when(areFew) {
      val counted = parts.indices.filter(parts(_).rows.isEmpty)
      val fetched =
        if (counted.isEmpty) Map.empty[Int, Vector[InternalRow]]
        else counted.zip(rows.sparkContext.runJob(rows, all(_), counted)).toMap
      parts.zipWithIndex.flatMap { case (one, index) =>
        one.rows.getOrElse(fetched(index))
      }
    }
  }

  /** @param count of the rows, and their bytes, as far as they were counted: until they are many
    * @param rows None for more than a share
    */
  private final case class Part(count: Int, bytes: Long, rows: Option[Vector[InternalRow]])

  private def part(share: Long, rows: Iterator[InternalRow]): Part = {
    val taken = Vector.newBuilder[InternalRow]
    var (count, bytes) = (0, 0L)
    while (rows.hasNext && count <= Most && bytes <= MostBytes) {
      val row = unsafe(rows.next())
      bytes += row.getSizeInBytes
      count += 1
      if (bytes > share) taken.clear() else taken += row
    }
    Part(count, bytes, Option.when(bytes <= share && count <= Most)(taken.result()))
  }

  private def all(rows: Iterator[InternalRow]): Vector[InternalRow] =
    rows.map(unsafe(_): InternalRow).toVector

  private def unsafe(row: InternalRow): UnsafeRow = row match {
    case row: UnsafeRow => row
    case other => throw new IllegalStateException(s"unexpected row ${other.getClass}")
  }
}
