package ducklake.spark.read

import ducklake.catalog.error.LakeError
import ducklake.catalog.types.Column
import ducklake.catalog.types.Names
import ducklake.spark.errors.SparkErrors
import ducklake.spark.parquet.read.ReadColumn
import ducklake.spark.session.TableAtSnapshot
import ducklake.spark.types.HiddenNames
import ducklake.spark.types.SparkTypes
import org.apache.spark.sql.types.ArrayType
import org.apache.spark.sql.types.DataType
import org.apache.spark.sql.types.MapType
import org.apache.spark.sql.types.StructField
import org.apache.spark.sql.types.StructType

/** Finds the columns to read for the schema that Spark requests. */
object ReadColumns {

  /** All columns of the table without the hidden columns. */
  def all(table: TableAtSnapshot): StructType =
    StructType(table.table.columns.map { column =>
      StructField(column.name, SparkTypes.of(column, table.session.timeRule), column.nullsAllowed)
    }.toArray)

  /** The columns of the schema. A name that the table and the hidden columns share is the table's
    * column.
    */
  def of(table: TableAtSnapshot, schema: StructType): Vector[ReadColumn] =
    schema.fields.toVector.map { field =>
      val data =
        HiddenNames.ownColumn(table.table.columns, field.name).map(prune(_, field.dataType))
      data
        .map(ReadColumn.Data(_, field.dataType))
        .orElse(MetadataColumns.find(field.name))
        .getOrElse(throw new IllegalStateException(s"no column ${field.name} in ${table.name}"))
    }

  /** Refuses columns of types that this version does not know. */
  def refuseUnreadable(table: TableAtSnapshot, columns: Vector[ReadColumn]): Unit =
    for {
      case ReadColumn.Data(column, _) <- columns
      text <- SparkTypes.unreadable(column).headOption
    } SparkErrors.raise(
      LakeError.UnsupportedType(column.name, table.table.qualifiedName, text)
    )

  private def find(columns: Vector[Column], name: String): Option[Column] =
    Names.find(columns, name)(_.name)

  /** The column with only the struct fields of `dataType`. Spark prunes fields of structs at any
    * depth; lists and maps keep their children.
    */
  private def prune(column: Column, dataType: DataType): Column =
    dataType match {
      case StructType(fields) =>
        val children = fields.toVector.flatMap { field =>
          find(column.children, field.name).map(prune(_, field.dataType))
        }
        column.copy(children = children)
      case ArrayType(element, _) =>
        column.copy(children = column.children.map(prune(_, element)))
      case MapType(key, value, _) =>
        column.copy(children =
          Vector(prune(column.children.head, key), prune(column.children(1), value))
        )
      case _ => column
    }
}
