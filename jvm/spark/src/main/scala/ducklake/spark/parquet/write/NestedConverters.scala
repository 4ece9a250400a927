package ducklake.spark.parquet.write

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow
import org.apache.spark.sql.catalyst.expressions.SpecializedGetters
import org.apache.spark.sql.catalyst.util.ArrayBasedMapData
import org.apache.spark.sql.catalyst.util.ArrayData
import org.apache.spark.sql.catalyst.util.GenericArrayData
import org.apache.spark.sql.types.DataType

/** Converters of nested values, for types of which at least one part needs a converter. They make a
  * new value.
  */
object NestedConverters {

  /** The value unchanged. */
  def same(shown: DataType): ValueConverter = (from, at) => from.get(at, shown)

  def list(converter: ValueConverter): ValueConverter = (from, at) =>
    converted(from.getArray(at), converter)

  def map(parts: Vector[ValueConverter]): ValueConverter = { (from, at) =>
    val source = from.getMap(at)
    new ArrayBasedMapData(
      converted(source.keyArray(), parts.head),
      converted(source.valueArray(), parts(1)),
    )
  }

  def struct(parts: Vector[ValueConverter]): ValueConverter = { (from, at) =>
    val source = from.getStruct(at, parts.length)
    val values = parts.zipWithIndex.map { case (part, field) => orNull(source, field, part) }
    new GenericInternalRow(values.toArray[Any]): InternalRow
  }

  private def converted(source: ArrayData, converter: ValueConverter): ArrayData =
    new GenericArrayData(Array.tabulate[Any](source.numElements())(orNull(source, _, converter)))

  private def orNull(from: SpecializedGetters, at: Int, converter: ValueConverter): Any =
    if (from.isNullAt(at)) null else converter(from, at)
}
