package ducklake.spark.parquet.vector

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.BoundReference
import org.apache.spark.sql.catalyst.expressions.InterpretedUnsafeProjection
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.types.DataType

import java.io.ByteArrayOutputStream

/** Rows that are sent to a task: Spark's binary rows, one after another in one array. Java
  * serialises the array fast; serialising row and value objects took longer than all other work on
  * the rows.
  *
  * @param ends offset in `bytes` of each row's end
  */
final class PackedRows private (columns: Int, ends: Array[Int], bytes: Array[Byte])
    extends Serializable {

  def size: Int = ends.length

  /** The rows with the indexes `from` (inclusive) to `until` (exclusive). A row is valid until the
    * next row is read.
    */
  def rows(from: Int, until: Int): Iterator[InternalRow] = {
    val row = new UnsafeRow(columns)
    Iterator.range(from, until).map { index =>
      val start = if (index == 0) 0 else ends(index - 1)
      row.pointTo(bytes, PackedRows.firstByte + start, ends(index) - start)
      row
    }
  }
}

object PackedRows {

  private val firstByte = org.apache.spark.unsafe.Platform.BYTE_ARRAY_OFFSET.toLong

  /** Packs rows whose values are of these types. */
  def of(rows: Iterator[InternalRow], types: Vector[DataType]): PackedRows = {
    val packer = new RowPacker(types)
    rows.foreach(packer.add)
    packer.result()
  }

  /** Packs rows one after another, for one thread. The projection is interpreted, not compiled,
    * because most reads are small.
    */
  final class RowPacker(types: Vector[DataType]) {
    private val projection = InterpretedUnsafeProjection.createProjection(
      types.zipWithIndex.map { case (dataType, index) =>
        BoundReference(index, dataType, nullable = true)
      }
    )
    private val bytes = new ByteArrayOutputStream()
    private val ends = Array.newBuilder[Int]
    private var rows = 0

    def add(row: InternalRow): Unit = {
      projection(row).writeToStream(bytes, Array.emptyByteArray)
      ends += bytes.size
      rows += 1
    }

    def size: Int = rows

    def sizeBytes: Int = bytes.size + rows * Integer.BYTES

    /** The rows since the last result. */
    def result(): PackedRows = {
      val packed = new PackedRows(types.size, ends.result(), bytes.toByteArray)
      clear()
      packed
    }

    def clear(): Unit = {
      bytes.reset()
      ends.clear()
      rows = 0
    }
  }
}
