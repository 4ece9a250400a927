package ducklake.spark.parquet.write

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow
import org.apache.spark.sql.catalyst.expressions.SpecializedGetters
import org.apache.spark.sql.catalyst.util.ArrayBasedMapData
import org.apache.spark.sql.catalyst.util.ArrayData
import org.apache.spark.sql.catalyst.util.GenericArrayData
import org.apache.spark.sql.types.DataType

/** Nested values of which some part does not go out as Spark holds it: made anew. */
object NestedConverters {

  def same(shown: DataType): ValueConverter = (from, at) => from.get(at, shown)

  def list(change: ValueConverter): ValueConverter = (from, at) =>
    changed(from.getArray(at), change)

  def map(parts: Vector[ValueConverter]): ValueConverter = { (from, at) =>
    val source = from.getMap(at)
    new ArrayBasedMapData(
      changed(source.keyArray(), parts.head),
      changed(source.valueArray(), parts(1)),
    )
  }

  def struct(parts: Vector[ValueConverter]): ValueConverter = { (from, at) =>
    val source = from.getStruct(at, parts.length)
    val values = parts.zipWithIndex.map { case (part, field) => orNull(source, field, part) }
    new GenericInternalRow(values.toArray[Any]): InternalRow
  }

  private def changed(source: ArrayData, change: ValueConverter): ArrayData =
    new GenericArrayData(Array.tabulate[Any](source.numElements())(orNull(source, _, change)))

  private def orNull(from: SpecializedGetters, at: Int, change: ValueConverter): Any =
    if (from.isNullAt(at)) null else change(from, at)
}
