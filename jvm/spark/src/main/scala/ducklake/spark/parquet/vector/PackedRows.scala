package ducklake.spark.parquet.vector

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.BoundReference
import org.apache.spark.sql.catalyst.expressions.InterpretedUnsafeProjection
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.types.DataType

import java.io.ByteArrayOutputStream

/** Rows on their way to a task, as Spark's binary rows one behind the other. Java serialises them as one
  * array, where objects of rows and values took it longer than all else that was done with them.
  *
  * @param ends where each row ends in `bytes`
  */
final class PackedRows private (columns: Int, ends: Array[Int], bytes: Array[Byte])
    extends Serializable {

  def size: Int = ends.length

  /** The rows of these places, each valid until the next one is asked for. */
  def rows(from: Int, until: Int): Iterator[InternalRow] = {
    val row = new UnsafeRow(columns)
    Iterator.range(from, until).map { place =>
      val start = if (place == 0) 0 else ends(place - 1)
      row.pointTo(bytes, PackedRows.firstByte + start, ends(place) - start)
      row
    }
  }
}

object PackedRows {

  private val firstByte = org.apache.spark.unsafe.Platform.BYTE_ARRAY_OFFSET.toLong

  /** The rows, whose values are of the types. Nothing is compiled for it: most reads are small. */
  def of(rows: Iterator[InternalRow], types: Vector[DataType]): PackedRows = {
    val values = types.zipWithIndex.map { case (dataType, index) =>
      BoundReference(index, dataType, nullable = true)
    }
    val projection = InterpretedUnsafeProjection.createProjection(values)
    val bytes = new ByteArrayOutputStream()
    val ends = rows.map { row =>
      projection(row).writeToStream(bytes, Array.emptyByteArray)
      bytes.size
    }.toArray
    new PackedRows(types.size, ends, bytes.toByteArray)
  }
}
