package ducklake.spark.internal

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow
import org.apache.spark.sql.catalyst.expressions.SpecializedGetters
import org.apache.spark.sql.catalyst.util.ArrayBasedMapData
import org.apache.spark.sql.catalyst.util.ArrayData
import org.apache.spark.sql.catalyst.util.GenericArrayData
import org.apache.spark.sql.types.DataType

/** Nested values of which some part does not go out as Spark holds it: made anew. */
object OutgoingNested {

  def same(shown: DataType): Outgoing = (from, at) => from.get(at, shown)

  def list(change: Outgoing): Outgoing = (from, at) => changed(from.getArray(at), change)

  def map(parts: Vector[Outgoing]): Outgoing = { (from, at) =>
    val source = from.getMap(at)
    new ArrayBasedMapData(
      changed(source.keyArray(), parts.head),
      changed(source.valueArray(), parts(1)),
    )
  }

  def struct(parts: Vector[Outgoing]): Outgoing = { (from, at) =>
    val source = from.getStruct(at, parts.length)
    val values = parts.zipWithIndex.map { case (part, field) => orNull(source, field, part) }
    new GenericInternalRow(values.toArray[Any]): InternalRow
  }

  private def changed(source: ArrayData, change: Outgoing): ArrayData =
    new GenericArrayData(Array.tabulate[Any](source.numElements())(orNull(source, _, change)))

  private def orNull(from: SpecializedGetters, at: Int, change: Outgoing): Any =
    if (from.isNullAt(at)) null else change(from, at)
}
