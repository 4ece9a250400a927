package org.apache.spark.sql.execution.ducklake

import _root_.ducklake.spark.sparkapi.sql.TimeOfDay
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.execution.RowToColumnConverter
import org.apache.spark.sql.execution.vectorized.OnHeapColumnVector
import org.apache.spark.sql.execution.vectorized.WritableColumnVector
import org.apache.spark.sql.types.ArrayType
import org.apache.spark.sql.types.DataType
import org.apache.spark.sql.types.LongType
import org.apache.spark.sql.types.MapType
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.vectorized.ColumnarBatch

/** Copies rows into vectors with Spark's own converter. Scala allows only packages below
  * `execution` to use the converter; in byte code it is public.
  */
object RowsToVectors {

  /** The `count` rows as one batch. The caller closes its vectors. */
  def batch(rows: Iterator[InternalRow], count: Int, schema: StructType): ColumnarBatch = {
    val vectors: Array[WritableColumnVector] =
      schema.fields.map(field => new OnHeapColumnVector(math.max(count, 1), field.dataType))
    val converter = new RowToColumnConverter(timeAsLong(schema))
    rows.foreach(converter.convert(_, vectors))
    new ColumnarBatch(vectors.toArray, count)
  }

  /** Replaces TIME by LONG: the converter does not know TIME, and Spark holds its values as longs.
    */
  private def timeAsLong(schema: StructType): StructType =
    StructType(schema.fields.map(field => field.copy(dataType = timeAsLong(field.dataType))))

  private def timeAsLong(dataType: DataType): DataType =
    dataType match {
      case TimeOfDay() => LongType
      case array: ArrayType => array.copy(elementType = timeAsLong(array.elementType))
      case map: MapType =>
        map.copy(keyType = timeAsLong(map.keyType), valueType = timeAsLong(map.valueType))
      case struct: StructType => timeAsLong(struct)
      case other => other
    }
}
