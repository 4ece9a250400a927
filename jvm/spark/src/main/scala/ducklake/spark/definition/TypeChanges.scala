package ducklake.spark.definition

import ducklake.catalog.change.schema.ColumnPlace
import ducklake.catalog.change.schema.RowPresence
import ducklake.catalog.change.schema.SchemaChange
import ducklake.catalog.change.schema.TableDraft
import ducklake.catalog.error.LakeError
import ducklake.catalog.types.Column
import ducklake.catalog.types.LakeType
import ducklake.catalog.types.Names
import ducklake.spark.types.LakeTypes
import ducklake.spark.types.SparkTypes
import org.apache.spark.sql.types.ArrayType
import org.apache.spark.sql.types.DataType
import org.apache.spark.sql.types.MapType
import org.apache.spark.sql.types.StructField
import org.apache.spark.sql.types.StructType

/** Changes the type of a column to the type that Spark asks for. A list, a struct or a map is
  * changed part by part: pipelines send the whole type, also where a field is new.
  */
private[definition] final class TypeChanges(rule: SparkTypes.TimeRule) {

  /** The column does not change when Spark already reads it as this type.
    *
    * Errors: InvalidChange, UnstorableType.
    */
  def to(draft: TableDraft, path: Vector[String], wanted: DataType): SchemaChange.Result = {
    val requested = LakeTypes.column(path.mkString("."), wanted)
    val current = SchemaChange.column(draft, path)
    if (current.map(SparkTypes.of(_, rule)).contains(SparkTypes.of(requested, rule))) Right(draft)
    else
      (current.map(column => (column, column.dataType)), wanted) match {
        case (Some((struct, LakeType.StructType)), StructType(fields)) =>
          ofStruct(draft, path, struct, fields.toVector)
        case (Some((_, LakeType.ListType)), ArrayType(element, _)) =>
          to(draft, path :+ "element", element)
        case (Some((_, LakeType.MapType)), MapType(key, value, _)) =>
          to(draft, path :+ "key", key).flatMap(to(_, path :+ "value", value))
        case _ => whole(draft, path, requested)
      }
  }

  private def ofStruct(
      draft: TableDraft,
      path: Vector[String],
      struct: Column,
      fields: Vector[StructField],
  ): SchemaChange.Result = {
    val start: SchemaChange.Result = Right(draft)
    val wanted = fields.map(_.name)
    val gone = struct.children.map(_.name).filterNot(name => wanted.exists(Names.isSame(_, name)))
    val changed = fields.foldLeft(start)((draft, field) => draft.flatMap(ofField(_, path, field)))
    val dropped = gone.foldLeft(changed) { (draft, name) =>
      draft.flatMap(SchemaChange.drop(_, path :+ name))
    }
    wanted.zip(ColumnPlace.First +: wanted.map(ColumnPlace.After(_))).foldLeft(dropped) {
      case (draft, (name, place)) => draft.flatMap(SchemaChange.move(_, path :+ name, place))
    }
  }

  private def ofField(
      draft: TableDraft,
      path: Vector[String],
      field: StructField,
  ): SchemaChange.Result =
    if (SchemaChange.column(draft, path :+ field.name).isDefined)
      to(draft, path :+ field.name, field.dataType)
    else {
      val column = LakeTypes.column(field.name, field.dataType)
      SchemaChange.add(draft, path, column, ColumnPlace.Last)
    }

  private def whole(draft: TableDraft, path: Vector[String], to: Column): SchemaChange.Result = {
    val changed = to.dataType match {
      case primitive: LakeType.Primitive => SchemaChange.retype(draft, path, primitive)
      case _: LakeType.Nested =>
        Left(
          LakeError.InvalidChange(
            s"change the type of column `${path.mkString(".")}` of ${draft.table}",
            "no other type becomes a list, a struct or a map",
          )
        )
    }
    (changed, draft.rows) match {
      case (Left(_), RowPresence.Empty) => SchemaChange.replaceType(draft, path, to)
      case _ => changed
    }
  }
}
