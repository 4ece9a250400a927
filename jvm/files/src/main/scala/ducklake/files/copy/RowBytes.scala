package ducklake.files.copy

import org.apache.parquet.column.ColumnWriter
import org.apache.parquet.io.api.Binary
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName

import java.io.ByteArrayOutputStream
import java.io.DataOutputStream
import java.nio.ByteBuffer

/** The values of one leaf as bytes, row after row, so that rows can be put into another order.
  *
  * Each value has its repetition level, its definition level and, unless it is NULL, its bits. A
  * repetition level of zero begins the next row.
  */
private[copy] final class RowBytes extends LeafValueWriter {
  private val bytes = new ByteArrayOutputStream
  private val out = new DataOutputStream(bytes)
  private val ends = Array.newBuilder[Int]

  protected override def endRow(): Unit = ends += bytes.size

  /** The bytes, and the end of each row in them. */
  def result(): (Array[Byte], Array[Int]) = (bytes.toByteArray, ends.result())

  protected override val column: ColumnWriter = new ColumnWriter {
    private def levels(repetition: Int, definition: Int): Unit = {
      out.writeByte(repetition)
      out.writeByte(definition)
    }

    override def write(value: Int, repetition: Int, definition: Int): Unit = {
      levels(repetition, definition)
      out.writeInt(value)
    }

    override def write(value: Long, repetition: Int, definition: Int): Unit = {
      levels(repetition, definition)
      out.writeLong(value)
    }

    override def write(value: Boolean, repetition: Int, definition: Int): Unit = {
      levels(repetition, definition)
      out.writeBoolean(value)
    }

    override def write(value: Binary, repetition: Int, definition: Int): Unit = {
      levels(repetition, definition)
      out.writeInt(value.length)
      value.writeTo(out: java.io.DataOutput)
    }

    override def write(value: Float, repetition: Int, definition: Int): Unit = {
      levels(repetition, definition)
      out.writeInt(java.lang.Float.floatToRawIntBits(value))
    }

    override def write(value: Double, repetition: Int, definition: Int): Unit = {
      levels(repetition, definition)
      out.writeLong(java.lang.Double.doubleToRawLongBits(value))
    }

    override def writeNull(repetition: Int, definition: Int): Unit = levels(repetition, definition)

    override def close(): Unit = ()

    override def getBufferedSizeInMemory: Long = bytes.size.toLong
  }
}

private[copy] object RowBytes {

  /** Writes the next row of a leaf.
    *
    * @param row at the first value of the leaf; afterwards at the first value of the next leaf
    * @param defined the definition level of a value
    */
  def write(row: ByteBuffer, name: PrimitiveTypeName, defined: Int, to: ColumnWriter): Unit = {
    var isInRow = true
    while (isInRow) {
      val repetition = row.get().toInt
      val definition = row.get().toInt
      if (definition == defined) value(row, name, repetition, definition, to)
      else to.writeNull(repetition, definition)
      isInRow = row.hasRemaining && row.get(row.position()) != 0
    }
  }

  private def value(
      row: ByteBuffer,
      name: PrimitiveTypeName,
      repetition: Int,
      definition: Int,
      to: ColumnWriter,
  ): Unit =
    name match {
      case PrimitiveTypeName.BOOLEAN => to.write(row.get() != 0, repetition, definition)
      case PrimitiveTypeName.INT32 => to.write(row.getInt(), repetition, definition)
      case PrimitiveTypeName.INT64 => to.write(row.getLong(), repetition, definition)
      case PrimitiveTypeName.FLOAT =>
        to.write(java.lang.Float.intBitsToFloat(row.getInt()), repetition, definition)
      case PrimitiveTypeName.DOUBLE =>
        to.write(java.lang.Double.longBitsToDouble(row.getLong()), repetition, definition)
      case PrimitiveTypeName.BINARY | PrimitiveTypeName.FIXED_LEN_BYTE_ARRAY |
          PrimitiveTypeName.INT96 =>
        val content = new Array[Byte](row.getInt())
        row.get(content)
        to.write(Binary.fromConstantByteArray(content), repetition, definition)
    }
}
