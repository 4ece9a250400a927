package ducklake.spark.sparkapi.sql

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.SpecializedGetters
import org.apache.spark.sql.types.*

import java.io.ByteArrayOutputStream
import java.io.DataOutputStream
import java.security.MessageDigest

/** Hashes rows by all their values: NULL is no value, numbers are their bits, so that 0.0 and -0.0
  * differ, and every text, list and map has its length before it.
  *
  * @param shape the types of the rows
  */
private[spark] final class RowDigest(shape: StructType) {

  private val hash = MessageDigest.getInstance("SHA-256")
  private val bytes = new ByteArrayOutputStream
  private val out = new DataOutputStream(bytes)

  /** The hash of the row, which has 32 bytes. */
  def of(row: InternalRow): Array[Byte] = {
    bytes.reset()
    fields(row, shape)
    hash.digest(bytes.toByteArray)
  }

  private def fields(row: InternalRow, struct: StructType): Unit =
    struct.fields.indices.foreach(at => value(row, at, struct(at).dataType))

  private def value(from: SpecializedGetters, at: Int, dataType: DataType): Unit =
    if (from.isNullAt(at)) out.writeBoolean(false)
    else {
      out.writeBoolean(true)
      known(from, at, dataType)
    }

  private def known(from: SpecializedGetters, at: Int, dataType: DataType): Unit =
    dataType match {
      case BooleanType => out.writeBoolean(from.getBoolean(at))
      case ByteType => out.writeByte(from.getByte(at).toInt)
      case ShortType => out.writeShort(from.getShort(at).toInt)
      case IntegerType | DateType => out.writeInt(from.getInt(at))
      case LongType | TimestampType | TimestampNTZType | TimeOfDay() =>
        out.writeLong(from.getLong(at))
      case FloatType => out.writeInt(java.lang.Float.floatToRawIntBits(from.getFloat(at)))
      case DoubleType => out.writeLong(java.lang.Double.doubleToRawLongBits(from.getDouble(at)))
      case decimal: DecimalType =>
        val found = from.getDecimal(at, decimal.precision, decimal.scale).toJavaBigDecimal
        sized(found.setScale(decimal.scale).unscaledValue.toByteArray)
      case _: StringType => sized(from.getUTF8String(at).getBytes)
      case BinaryType => sized(from.getBinary(at))
      case VariantType =>
        val found = from.getVariant(at)
        sized(found.getMetadata)
        sized(found.getValue)
      case struct: StructType => fields(from.getStruct(at, struct.length), struct)
      case ArrayType(element, _) =>
        val array = from.getArray(at)
        out.writeInt(array.numElements())
        (0 until array.numElements()).foreach(value(array, _, element))
      case MapType(key, item, _) =>
        val map = from.getMap(at)
        out.writeInt(map.numElements())
        (0 until map.numElements()).foreach { entry =>
          value(map.keyArray(), entry, key)
          value(map.valueArray(), entry, item)
        }
      case other => throw new IllegalArgumentException(s"no hash of values of the type $other")
    }

  private def sized(part: Array[Byte]): Unit = {
    out.writeInt(part.length)
    out.write(part)
  }
}
