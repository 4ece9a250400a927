package ducklake.spark.parquet.vector

import org.apache.spark.sql.execution.vectorized.WritableColumnVector
import org.apache.spark.sql.types.DataType
import org.apache.spark.sql.types.Decimal
import org.apache.spark.sql.vectorized.ColumnVector
import org.apache.spark.sql.vectorized.ColumnarArray
import org.apache.spark.sql.vectorized.ColumnarMap
import org.apache.spark.unsafe.types.UTF8String

/** A vector whose values come from another vector, which other code owns, fills and closes. A
  * subclass implements the getters of its type; the others are never called.
  */
abstract class DerivedVector(shown: DataType) extends ColumnVector(shown) {

  final override def close(): Unit = ()
  final override def closeIfFreeable(): Unit = ()

  override def getBoolean(row: Int): Boolean = unsupported
  override def getByte(row: Int): Byte = unsupported
  override def getShort(row: Int): Short = unsupported
  override def getInt(row: Int): Int = unsupported
  override def getLong(row: Int): Long = unsupported
  override def getFloat(row: Int): Float = unsupported
  override def getDouble(row: Int): Double = unsupported
  override def getArray(row: Int): ColumnarArray = unsupported
  override def getMap(row: Int): ColumnarMap = unsupported
  override def getDecimal(row: Int, precision: Int, scale: Int): Decimal = unsupported
  override def getUTF8String(row: Int): UTF8String = unsupported
  override def getBinary(row: Int): Array[Byte] = unsupported
  override def getChild(ordinal: Int): ColumnVector = unsupported

  private def unsupported: Nothing =
    throw new UnsupportedOperationException(s"${getClass.getSimpleName} of ${shown.sql}")
}

/** A vector with the NULLs of the vector below it. */
abstract class NullSharingVector(shown: DataType, below: ColumnVector)
    extends DerivedVector(shown) {
  final override def hasNull: Boolean = below.hasNull
  final override def numNulls: Int = below.numNulls
  final override def isNullAt(row: Int): Boolean = below.isNullAt(row)
}

/** A struct vector with the NULLs of the file's vector. The vectors of its fields may come from
  * other places.
  */
final class StructVector(shown: DataType, below: ColumnVector, fields: Array[ColumnVector])
    extends NullSharingVector(shown, below) {
  override def getChild(ordinal: Int): ColumnVector = fields(ordinal)
}

/** A list vector whose elements are a derived vector. */
final class ListVector(shown: DataType, below: WritableColumnVector, elements: ColumnVector)
    extends NullSharingVector(shown, below) {
  override def getArray(row: Int): ColumnarArray =
    if (below.isNullAt(row)) null
    else new ColumnarArray(elements, below.getArrayOffset(row), below.getArrayLength(row))
}

/** A map vector whose keys or values are derived vectors. */
final class MapVector(
    shown: DataType,
    below: WritableColumnVector,
    keys: ColumnVector,
    values: ColumnVector,
) extends NullSharingVector(shown, below) {
  override def getMap(row: Int): ColumnarMap =
    if (below.isNullAt(row)) null
    else new ColumnarMap(keys, values, below.getArrayOffset(row), below.getArrayLength(row))
}

/** The values of another vector in another type. A value is converted at each call of a getter. */
final class ConvertedVector(shown: DataType, below: ColumnVector, conversion: Conversion)
    extends NullSharingVector(shown, below) {

  override def getByte(row: Int): Byte = conversion.long(below, row).toByte
  override def getShort(row: Int): Short = conversion.long(below, row).toShort
  override def getInt(row: Int): Int = conversion.long(below, row).toInt
  override def getLong(row: Int): Long = conversion.long(below, row)
  override def getFloat(row: Int): Float = conversion.float(below, row)
  override def getDouble(row: Int): Double = conversion.double(below, row)

  override def getDecimal(row: Int, precision: Int, scale: Int): Decimal =
    if (below.isNullAt(row)) null else conversion.decimal(below, row)

  override def getUTF8String(row: Int): UTF8String =
    if (below.isNullAt(row)) null else conversion.text(below, row)

  override def getBinary(row: Int): Array[Byte] =
    if (below.isNullAt(row)) null else conversion.bytes(below, row)
}

/** Converts single values of a file to another type. A conversion implements the method of its
  * result type: `long` for all types that Spark holds as integers of any width.
  */
abstract class Conversion {
  def truth(in: ColumnVector, row: Int): Boolean = unsupported(in)
  def long(in: ColumnVector, row: Int): Long = unsupported(in)
  def float(in: ColumnVector, row: Int): Float = unsupported(in)
  def double(in: ColumnVector, row: Int): Double = unsupported(in)
  def decimal(in: ColumnVector, row: Int): Decimal = unsupported(in)
  def text(in: ColumnVector, row: Int): UTF8String = unsupported(in)
  def bytes(in: ColumnVector, row: Int): Array[Byte] = unsupported(in)

  private def unsupported(in: ColumnVector): Nothing =
    throw new UnsupportedOperationException(s"${getClass.getName} of ${in.dataType.sql}")
}
