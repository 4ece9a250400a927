package ducklake.spark.parquet.write

import ducklake.catalog.model.Column
import ducklake.catalog.model.ColumnId
import ducklake.catalog.types.LakeType
import ducklake.spark.errors.ValueSubject
import ducklake.spark.types.SparkTypes
import ducklake.spark.types.SparkTypes.TimeRule
import org.apache.parquet.schema.MessageType
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.ArrayType
import org.apache.spark.sql.types.DataType
import org.apache.spark.sql.types.MapType
import org.apache.spark.sql.types.StructField
import org.apache.spark.sql.types.StructType

/** The columns of a new file: what Spark's writer is told of them, and what stands in the file.
  *
  * @param rowType the types Spark's Parquet writer writes; all nullable, as in DuckDB's files
  * @param changes for each top-level column how its value is made; None: it goes out as it is
  * @param message the file's schema, of the same shape as `rowType`
  * @param leaves the primitive columns, for the statistics
  * @param texts looks at the texts of each row; None: there are none
  */
final case class ColumnConverters(
    rowType: StructType,
    changes: Vector[Option[ValueConverter]],
    message: MessageType,
    leaves: Vector[LeafConverter],
    texts: Option[TextConverters],
) {

  /** Makes the values of a row as they would go out. Errors: InvalidValue. */
  def check(row: InternalRow): Unit = {
    texts.foreach(_.check(row))
    changes.zipWithIndex.foreach { case (change, at) =>
      if (!row.isNullAt(at)) change.foreach(_(row, at))
    }
  }
}

/** @param path its place in the file, as Parquet names it: parts between dots
  * @param column the lake's column; of a variant, which has two leaves, the variant itself
  */
final case class LeafConverter(path: Vector[String], column: ColumnId, lakeType: LakeType.Primitive)

object ColumnConverters {

  def of(columns: Vector[Column], rule: TimeRule): ColumnConverters = {
    val nodes = columns.map(node(_, rule))
    ColumnConverters(
      StructType(columns.zip(nodes).map { case (column, node) =>
        StructField(column.name, node.fileType, nullable = true)
      }),
      nodes.map(_.change),
      FileSchemaBuilder.message(columns),
      columns.flatMap(column => FileSchemaBuilder.leaves(column)),
      TextConverters.of(columns),
    )
  }

  private def node(column: Column, rule: TimeRule): PrimitiveConverter =
    column.dataType match {
      case LakeType.ListType =>
        val element = node(column.children.head, rule)
        PrimitiveConverter(
          ArrayType(element.fileType, containsNull = true),
          element.change.map { change =>
            NestedConverters.list(change)
          },
        )
      case LakeType.MapType =>
        val parts = column.children.map(node(_, rule))
        PrimitiveConverter(
          MapType(parts.head.fileType, parts(1).fileType, valueContainsNull = true),
          anyChanged(column, parts, rule).map(NestedConverters.map),
        )
      case LakeType.StructType =>
        val parts = column.children.map(node(_, rule))
        PrimitiveConverter(
          StructType(column.children.zip(parts).map { case (child, part) =>
            StructField(child.name, part.fileType, nullable = true)
          }),
          anyChanged(column, parts, rule).map(NestedConverters.struct),
        )
      case primitive: LakeType.Primitive =>
        val shown = ofSpark(column, rule)
        ValueConverter.primitive(primitive, shown, rule, ValueSubject(column.name, primitive))
    }

  private def ofSpark(column: Column, rule: TimeRule): DataType = SparkTypes.of(column, rule)

  /** All parts of a nested value, when at least one does not go out as it is. */
  private def anyChanged(
      column: Column,
      parts: Vector[PrimitiveConverter],
      rule: TimeRule,
  ): Option[Vector[ValueConverter]] =
    Option.when(parts.exists(_.change.nonEmpty)) {
      column.children.zip(parts).map { case (child, part) =>
        part.change.getOrElse(NestedConverters.same(ofSpark(child, rule)))
      }
    }
}
