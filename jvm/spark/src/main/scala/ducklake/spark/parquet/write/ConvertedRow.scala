package ducklake.spark.parquet.write

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.util.ArrayData
import org.apache.spark.sql.catalyst.util.MapData
import org.apache.spark.sql.types.DataType
import org.apache.spark.sql.types.Decimal
import org.apache.spark.unsafe.types.CalendarInterval
import org.apache.spark.unsafe.types.UTF8String
import org.apache.spark.unsafe.types.VariantVal

/** A row whose values are converted when Parquet's writer reads them. It is used only for tables
  * with columns that need a converter; rows of other tables are written unchanged.
  */
final class ConvertedRow(converters: Array[ValueConverter]) extends RowOver {

  // Set before each row is written, by one task and one thread.
  private var row: InternalRow = InternalRow.empty

  protected override def under: InternalRow = row

  /** This row with the values of `next`. */
  def over(next: InternalRow): InternalRow = {
    row = next
    this
  }

  private def converted[A](ordinal: Int): A = converters(ordinal)(row, ordinal).asInstanceOf[A]

  private def isPlain(ordinal: Int): Boolean = converters(ordinal) == null

  override def numFields: Int = converters.length

  override def isNullAt(ordinal: Int): Boolean = row.isNullAt(ordinal)

  override def getBoolean(ordinal: Int): Boolean = row.getBoolean(ordinal)

  override def getByte(ordinal: Int): Byte = row.getByte(ordinal)

  override def getShort(ordinal: Int): Short = row.getShort(ordinal)

  override def getInt(ordinal: Int): Int =
    if (isPlain(ordinal)) row.getInt(ordinal) else converted[Int](ordinal)

  override def getLong(ordinal: Int): Long =
    if (isPlain(ordinal)) row.getLong(ordinal) else converted[Long](ordinal)

  override def getFloat(ordinal: Int): Float = row.getFloat(ordinal)

  override def getDouble(ordinal: Int): Double = row.getDouble(ordinal)

  override def getDecimal(ordinal: Int, precision: Int, scale: Int): Decimal =
    if (isPlain(ordinal)) row.getDecimal(ordinal, precision, scale) else converted[Decimal](ordinal)

  override def getUTF8String(ordinal: Int): UTF8String =
    if (isPlain(ordinal)) row.getUTF8String(ordinal) else converted[UTF8String](ordinal)

  override def getBinary(ordinal: Int): Array[Byte] =
    if (isPlain(ordinal)) row.getBinary(ordinal) else converted[Array[Byte]](ordinal)

  override def getStruct(ordinal: Int, numFields: Int): InternalRow =
    if (isPlain(ordinal)) row.getStruct(ordinal, numFields) else converted[InternalRow](ordinal)

  override def getArray(ordinal: Int): ArrayData =
    if (isPlain(ordinal)) row.getArray(ordinal) else converted[ArrayData](ordinal)

  override def getMap(ordinal: Int): MapData =
    if (isPlain(ordinal)) row.getMap(ordinal) else converted[MapData](ordinal)

  override def getVariant(ordinal: Int): VariantVal = row.getVariant(ordinal)

  override def getInterval(ordinal: Int): CalendarInterval = row.getInterval(ordinal)

  override def get(ordinal: Int, dataType: DataType): AnyRef =
    if (isPlain(ordinal)) row.get(ordinal, dataType) else converted[AnyRef](ordinal)

  override def setNullAt(ordinal: Int): Unit = unchangeable()

  override def update(ordinal: Int, value: Any): Unit = unchangeable()

  override def copy(): InternalRow = unchangeable()

  private def unchangeable(): Nothing =
    throw new UnsupportedOperationException("a row on its way into a file is not changed or kept")
}
