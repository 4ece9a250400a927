package ducklake.spark.parquet.write

import ducklake.catalog.error.LakeError
import ducklake.catalog.error.LakeException
import ducklake.catalog.types.Column
import ducklake.catalog.types.LakeType
import ducklake.catalog.types.Literal
import ducklake.catalog.types.TypeText
import ducklake.spark.sparkapi.sql.SparkIntervals
import ducklake.spark.types.LakeValues
import ducklake.spark.types.SparkTypes
import ducklake.spark.types.SparkTypes.TimeRule
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.SpecializedGetters
import org.apache.spark.sql.catalyst.util.ArrayData
import org.apache.spark.sql.types.DataType
import org.apache.spark.unsafe.types.UTF8String
import org.apache.spark.unsafe.types.VariantVal

import scala.collection.immutable.ArraySeq

/** Converts Spark's rows to literals of the columns' DuckLake types, including nested values.
  *
  * @param columns the columns of the rows, in order
  */
final class LakeRow(columns: Vector[Column], rule: TimeRule) {

  private val shown: Vector[DataType] = columns.map(SparkTypes.of(_, rule))

  /** The literals of a row. Errors: InvalidValue for a value that the column's type cannot hold. */
  def literals(row: InternalRow): Vector[Literal] =
    columns.indices.map(at => value(row, at, columns(at), shown(at))).toVector

  private def value(
      from: SpecializedGetters,
      at: Int,
      column: Column,
      dataType: DataType,
  ): Literal =
    if (from.isNullAt(at)) Literal.Null
    else
      column.dataType match {
        case primitive: LakeType.Primitive => leaf(from.get(at, dataType), column, primitive)
        case LakeType.ListType => Literal.ListValue(items(from.getArray(at), column.children.head))
        case LakeType.StructType =>
          val struct = from.getStruct(at, column.children.size)
          Literal.StructValue(column.children.zipWithIndex.map { case (child, index) =>
            value(struct, index, child, SparkTypes.of(child, rule))
          })
        case LakeType.MapType =>
          val map = from.getMap(at)
          val keys = items(map.keyArray(), column.children(0))
          Literal.MapValue(keys.zip(items(map.valueArray(), column.children(1))))
      }

  private def items(array: ArrayData, element: Column): Vector[Literal] = {
    val dataType = SparkTypes.of(element, rule)
    Vector.tabulate(array.numElements())(value(array, _, element, dataType))
  }

  private def leaf(value: Any, column: Column, lakeType: LakeType.Primitive): Literal =
    (value, lakeType) match {
      case (text: UTF8String, LakeType.Interval) =>
        SparkIntervals
          .parse(text.toString)
          .getOrElse(refuse(text.toString, column, lakeType, "it is no value of the type"))
      case (text: UTF8String, _) if !text.isValid =>
        refuse(text.toString, column, lakeType, "it is no UTF-8, which DuckDB cannot read")
      case (variant: VariantVal, _) =>
        Literal.Variant(
          ArraySeq.unsafeWrapArray(variant.getMetadata),
          ArraySeq.unsafeWrapArray(variant.getValue),
        )
      case _ => LakeValues.literal(value, column, lakeType)
    }

  private def refuse(
      value: String,
      column: Column,
      lakeType: LakeType.Primitive,
      why: String,
  ): Nothing =
    throw new LakeException(
      LakeError.InvalidValue(column.name, s"`$value`", TypeText.print(lakeType), why)
    )
}
