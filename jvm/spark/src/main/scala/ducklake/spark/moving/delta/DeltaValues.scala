package ducklake.spark.moving.delta

import io.delta.kernel.data.ColumnVector
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.util.ArrayBasedMapData
import org.apache.spark.sql.catalyst.util.GenericArrayData
import org.apache.spark.sql.types.*
import org.apache.spark.unsafe.types.UTF8String

/** Values of the Kernel in Spark's internal form. */
private[delta] object DeltaValues {

  /** null for NULL */
  def internal(from: ColumnVector, at: Int, dataType: DataType): Any =
    if (from.isNullAt(at)) null
    else
      dataType match {
        case BooleanType => from.getBoolean(at)
        case ByteType => from.getByte(at)
        case ShortType => from.getShort(at)
        case IntegerType | DateType => from.getInt(at)
        case LongType | TimestampType | TimestampNTZType => from.getLong(at)
        case FloatType => from.getFloat(at)
        case DoubleType => from.getDouble(at)
        case decimal: DecimalType =>
          Decimal(from.getDecimal(at), decimal.precision, decimal.scale)
        case _: StringType => UTF8String.fromString(from.getString(at))
        case BinaryType => from.getBinary(at)
        case struct: StructType =>
          InternalRow.fromSeq(struct.fields.toVector.zipWithIndex.map { case (field, place) =>
            internal(from.getChild(place), at, field.dataType)
          })
        case ArrayType(element, _) =>
          val array = from.getArray(at)
          all(array.getElements, array.getSize, element)
        case MapType(key, value, _) =>
          val map = from.getMap(at)
          new ArrayBasedMapData(
            all(map.getKeys, map.getSize, key),
            all(map.getValues, map.getSize, value),
          )
        case other =>
          throw new IllegalArgumentException(s"no value of the Kernel has the type $other")
      }

  private def all(from: ColumnVector, count: Int, dataType: DataType): GenericArrayData =
    new GenericArrayData(Array.tabulate[Any](count)(internal(from, _, dataType)))
}
