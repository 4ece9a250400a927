package ducklake.files.copy.plan

import org.apache.parquet.column.ColumnReader
import org.apache.parquet.column.ColumnWriter
import org.apache.parquet.column.statistics.Statistics
import org.apache.parquet.io.api.Binary
import org.apache.parquet.schema.PrimitiveType
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName

/** Copies the current value of a column, which is not NULL. */
private[copy] trait ValueCopy {
  def apply(from: ColumnReader, to: ColumnWriter, repetition: Int, definition: Int): Unit
}

private[copy] object ValueCopy {

  private val LowerHalf = 0xffffffffL

  /** @param to a type that `from` becomes, see [[StoredType.becomes]] */
  def of(from: PrimitiveType, to: PrimitiveType): ValueCopy = {
    val (own, wide) = (StoredType.of(from), StoredType.of(to))
    (own.name, wide.name) match {
      case (PrimitiveTypeName.INT32, PrimitiveTypeName.INT64) =>
        if (own.wholeNumber.forall(_.isSigned))
          (in, out, r, d) => out.write(in.getInteger.toLong, r, d)
        else (in, out, r, d) => out.write(in.getInteger & LowerHalf, r, d)
      case (PrimitiveTypeName.FLOAT, PrimitiveTypeName.DOUBLE) =>
        (in, out, r, d) => out.write(in.getFloat.toDouble, r, d)
      case (PrimitiveTypeName.FIXED_LEN_BYTE_ARRAY, PrimitiveTypeName.FIXED_LEN_BYTE_ARRAY)
          if own.length < wide.length =>
        (in, out, r, d) => out.write(longer(in.getBinary, wide.length), r, d)
      case (same, _) => unchanged(same)
    }
  }

  private def unchanged(name: PrimitiveTypeName): ValueCopy =
    name match {
      case PrimitiveTypeName.BOOLEAN => (in, out, r, d) => out.write(in.getBoolean, r, d)
      case PrimitiveTypeName.INT32 => (in, out, r, d) => out.write(in.getInteger, r, d)
      case PrimitiveTypeName.INT64 => (in, out, r, d) => out.write(in.getLong, r, d)
      case PrimitiveTypeName.FLOAT => (in, out, r, d) => out.write(in.getFloat, r, d)
      case PrimitiveTypeName.DOUBLE => (in, out, r, d) => out.write(in.getDouble, r, d)
      case PrimitiveTypeName.BINARY | PrimitiveTypeName.FIXED_LEN_BYTE_ARRAY |
          PrimitiveTypeName.INT96 =>
        (in, out, r, d) => out.write(in.getBinary, r, d)
    }

  /** The same number, whose highest byte comes first, in more bytes. */
  private def longer(value: Binary, length: Int): Binary = {
    val bytes = value.getBytesUnsafe
    val longer = new Array[Byte](length)
    val sign: Byte = if (bytes(0) < 0) -1 else 0
    java.util.Arrays.fill(longer, 0, length - bytes.length, sign)
    System.arraycopy(bytes, 0, longer, length - bytes.length, bytes.length)
    Binary.fromConstantByteArray(longer)
  }

  /** Adds the current value of a column, which is not NULL, to its statistics. */
  def measure(name: PrimitiveTypeName): (ColumnReader, Statistics[?]) => Unit =
    name match {
      case PrimitiveTypeName.BOOLEAN => (in, measured) => measured.updateStats(in.getBoolean)
      case PrimitiveTypeName.INT32 => (in, measured) => measured.updateStats(in.getInteger)
      case PrimitiveTypeName.INT64 => (in, measured) => measured.updateStats(in.getLong)
      case PrimitiveTypeName.FLOAT => (in, measured) => measured.updateStats(in.getFloat)
      case PrimitiveTypeName.DOUBLE => (in, measured) => measured.updateStats(in.getDouble)
      case PrimitiveTypeName.BINARY | PrimitiveTypeName.FIXED_LEN_BYTE_ARRAY |
          PrimitiveTypeName.INT96 =>
        (in, measured) => measured.updateStats(in.getBinary)
    }
}
