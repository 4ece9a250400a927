package ducklake.spark.parquet.write

import ducklake.catalog.types.Column
import ducklake.catalog.types.LakeType
import ducklake.files.parquet.LeafColumn
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

/** The columns of a new file: their types for Spark's Parquet writer, the converters of their
  * values, and the schema of the file.
  *
  * @param shown the types of the rows before their values are converted
  * @param rowType the types that Spark's Parquet writer writes. All columns are nullable, as in
  *   DuckDB's files
  * @param converters for each top-level column the converter of its values; None: values are
  *   written unchanged
  * @param message the file's schema, of the same shape as `rowType`
  * @param leaves the primitive columns, for the statistics
  * @param texts checks the texts of each row; None: no column holds texts
  */
final case class ColumnConverters(
    shown: StructType,
    rowType: StructType,
    converters: Vector[Option[ValueConverter]],
    message: MessageType,
    leaves: Vector[LeafColumn],
    texts: Option[TextConverters],
) {

  /** Converts and checks the values of a row without writing them. Errors: InvalidValue. */
  def check(row: InternalRow): Unit = {
    texts.foreach(_.check(row))
    converters.zipWithIndex.foreach { case (converter, at) =>
      if (!row.isNullAt(at)) converter.foreach(_(row, at))
    }
  }
}

object ColumnConverters {

  def of(columns: Vector[Column], rule: TimeRule): ColumnConverters = {
    val nodes = columns.map(node(_, rule))
    ColumnConverters(
      StructType(columns.map(column => StructField(column.name, sparkType(column, rule)))),
      StructType(columns.zip(nodes).map { case (column, node) =>
        StructField(column.name, node.fileType, nullable = true)
      }),
      nodes.map(_.converter),
      FileSchemaBuilder.message(columns),
      columns.flatMap(FileSchemaBuilder.leaves),
      TextConverters.of(columns),
    )
  }

  private def node(column: Column, rule: TimeRule): PrimitiveConverter =
    column.dataType match {
      case LakeType.ListType =>
        val element = node(column.children.head, rule)
        PrimitiveConverter(
          ArrayType(element.fileType, containsNull = true),
          element.converter.map { converter =>
            NestedConverters.list(converter)
          },
        )
      case LakeType.MapType =>
        val parts = column.children.map(node(_, rule))
        PrimitiveConverter(
          MapType(parts.head.fileType, parts(1).fileType, valueContainsNull = true),
          partConverters(column, parts, rule).map(NestedConverters.map),
        )
      case LakeType.StructType =>
        val parts = column.children.map(node(_, rule))
        PrimitiveConverter(
          StructType(column.children.zip(parts).map { case (child, part) =>
            StructField(child.name, part.fileType, nullable = true)
          }),
          partConverters(column, parts, rule).map(NestedConverters.struct),
        )
      case primitive: LakeType.Primitive =>
        val shown = sparkType(column, rule)
        ValueConverter.primitive(primitive, shown, rule, ValueSubject(column.name, primitive))
    }

  private def sparkType(column: Column, rule: TimeRule): DataType = SparkTypes.of(column, rule)

  /** Converters for all parts of a nested value; None when all parts are written unchanged. */
  private def partConverters(
      column: Column,
      parts: Vector[PrimitiveConverter],
      rule: TimeRule,
  ): Option[Vector[ValueConverter]] =
    Option.when(parts.exists(_.converter.nonEmpty)) {
      column.children.zip(parts).map { case (child, part) =>
        part.converter.getOrElse(NestedConverters.same(sparkType(child, rule)))
      }
    }
}
