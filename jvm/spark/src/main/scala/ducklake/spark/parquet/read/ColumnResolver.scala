package ducklake.spark.parquet.read

import ducklake.catalog.error.LakeError
import ducklake.catalog.error.LakeException
import ducklake.catalog.types.Column
import ducklake.catalog.types.ColumnId
import ducklake.catalog.types.LakeType
import ducklake.catalog.types.Literal
import ducklake.catalog.types.TypeText
import ducklake.files.parquet.FieldLookup
import ducklake.files.parquet.FileNode
import ducklake.spark.errors.ValueSubject
import ducklake.spark.parquet.vector.FileType
import ducklake.spark.sparkapi.sql.VariantExtraction
import ducklake.spark.types.LostValues
import ducklake.spark.types.SparkValues
import org.apache.spark.sql.types.ArrayType
import org.apache.spark.sql.types.DataType
import org.apache.spark.sql.types.MapType
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.types.VariantType

/** Finds the columns of a table in one file.
  *
  * @param fields the file's schema
  * @param constants values of columns that are not read from the file, even when its schema has a
  *   column of this name
  * @param filename with `table`: for messages
  */
final case class ColumnResolver(
    fields: Vector[FileNode],
    lookup: FieldLookup,
    constants: Map[ColumnId, Literal],
    filename: String,
    table: String,
) {

  /** The plan for a column.
    *
    * @param column the column, pruned to the requested fields like `shown`
    * @return the name of the top-level field to request, and the plan
    *
    * Errors: `UnreadableFile` when the file stores the column as something else.
    */
  def plan(column: Column, shown: DataType): (String, ColumnPlan) =
    (shown, VariantExtraction.ofType(shown)) match {
      case (struct: StructType, Some(extractions)) =>
        plan(column, VariantType) match {
          case (name, ColumnPlan.Variant(metadata, shape)) =>
            val needed = shape.holding(extractions.map(_.steps))
            name -> ColumnPlan.Extracted(struct, ColumnPlan.Variant(metadata, needed))
          case (name, other) => name -> ColumnPlan.Extracted(struct, other)
        }
      case _ =>
        constants.get(column.id) match {
          case Some(value) => column.name -> constant(value, column, shown)
          case None => field(column, shown, fields, lookup)
        }
    }

  private def field(
      column: Column,
      shown: DataType,
      among: Vector[FileNode],
      lookup: FieldLookup,
  ): (String, ColumnPlan) =
    lookup.find(column, among) match {
      case Some((found, below)) => found.name -> present(column, shown, found, below)
      case None =>
        column.name -> constant(SparkValues.initialDefault(column), column, shown)
    }

  private def constant(value: Literal, column: Column, shown: DataType): ColumnPlan =
    ColumnPlan.Constant(
      shown,
      SparkValues.internal(value, column, shown),
      isExact = !LostValues.isIn(value, column),
    )

  private def present(
      column: Column,
      shown: DataType,
      found: FileNode,
      below: FieldLookup,
  ): ColumnPlan =
    (column.dataType, shown, found) match {
      case (LakeType.Variant, VariantType, group: FileNode.Group) =>
        val subject = ValueSubject(column.name, LakeType.Variant)
        VariantShape.of(group, subject).getOrElse(mismatch(column, found))
      case (primitive: LakeType.Primitive, _, leaf: FileNode.Leaf) =>
        leafPlan(column, primitive, shown, leaf)
      case (LakeType.StructType, struct: StructType, group: FileNode.Group) =>
        structPlan(column, struct, group, below)
      case (LakeType.ListType, ArrayType(elementType, _), list: FileNode.Repeated) =>
        val element = column.children.head
        ColumnPlan.List(shown, present(element, elementType, list.element, below.within(element)))
      case (LakeType.MapType, MapType(keyType, valueType, _), map: FileNode.Entries) =>
        val Vector(key, value) = column.children: @unchecked
        ColumnPlan.Entries(
          shown,
          present(key, keyType, map.key, below.within(key)),
          present(value, valueType, map.value, below.within(value)),
        )
      case _ => mismatch(column, found)
    }

  private def leafPlan(
      column: Column,
      wanted: LakeType.Primitive,
      shown: DataType,
      leaf: FileNode.Leaf,
  ): ColumnPlan = {
    val subject = ValueSubject(column.name, wanted)
    val reading = FileType
      .of(leaf.stored)
      .flatMap(ParquetColumnSource.of(leaf.stored, _, wanted, shown, subject))
      .getOrElse(mismatch(column, leaf))
    ColumnPlan.Leaf(shown, column.id, wanted, leaf, reading)
  }

  private def structPlan(
      column: Column,
      shown: StructType,
      group: FileNode.Group,
      below: FieldLookup,
  ): ColumnPlan = {
    val wanted = column.children.zip(shown.fields).map { case (child, shownField) =>
      field(child, shownField.dataType, group.fields, below)
    }
    val presence =
      if (wanted.exists(_._2.requested.nonEmpty)) None else Presence.of(group.fields)
    ColumnPlan.Struct(shown, wanted, presence)
  }

  private def mismatch(column: Column, found: FileNode): Nothing = {
    val stored = found match {
      case leaf: FileNode.Leaf => leaf.stored.toString
      case _: FileNode.Group => "a struct"
      case _: FileNode.Repeated => "a list"
      case _: FileNode.Entries => "a map"
    }
    val wanted = TypeText.print(column.dataType)
    throw new LakeException(
      LakeError.UnreadableFile(
        filename,
        table,
        s"column `${column.name}` of type $wanted is stored as $stored",
      )
    )
  }
}
