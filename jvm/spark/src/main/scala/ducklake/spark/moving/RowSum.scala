package ducklake.spark.moving

import ducklake.spark.sparkapi.sql.RowDigest
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.StructType

import java.nio.ByteBuffer

/** The number of rows, and the sum of their hashes, in whatever order they were read. Equal rows
  * count as often as they are there.
  *
  * @param high the sum of the first eight bytes of each hash, modulo 2^64
  * @param low the same of the next eight bytes
  */
private[moving] final case class RowSum(count: Long, high: Long, low: Long) {

  def +(other: RowSum): RowSum =
    RowSum(count + other.count, high + other.high, low + other.low)

  def text: String = f"$high%016x$low%016x"
}

private[moving] object RowSum {

  val none: RowSum = RowSum(0L, 0L, 0L)

  /** @param shape the types of the rows */
  def of(rows: Iterator[InternalRow], shape: StructType): RowSum = {
    val digest = new RowDigest(shape)
    rows.foldLeft(none) { (done, row) =>
      val hash = ByteBuffer.wrap(digest.of(row))
      done + RowSum(1L, hash.getLong(), hash.getLong())
    }
  }
}
