package ducklake.spark.parquet.vector

import org.apache.spark.sql.types.DataType
import org.apache.spark.sql.types.StringType
import org.apache.spark.unsafe.types.UTF8String

/** Numbers, or other values that Spark holds as longs, without NULL, in an array that is refilled
  * for each batch.
  */
final class LongsVector(shown: DataType, capacity: Int) extends DerivedVector(shown) {
  val values: Array[Long] = new Array[Long](capacity)

  override def hasNull: Boolean = false
  override def numNulls: Int = 0
  override def isNullAt(row: Int): Boolean = false
  override def getLong(row: Int): Long = values(row)
}

/** Texts of a short list, by index. The array of indexes is refilled for each batch. */
final class TextsVector(texts: Vector[String], capacity: Int) extends DerivedVector(StringType) {
  val indexes: Array[Int] = new Array[Int](capacity)
  private val encoded = texts.map(UTF8String.fromString).toArray

  override def hasNull: Boolean = false
  override def numNulls: Int = 0
  override def isNullAt(row: Int): Boolean = false
  override def getUTF8String(row: Int): UTF8String = encoded(indexes(row))
}
