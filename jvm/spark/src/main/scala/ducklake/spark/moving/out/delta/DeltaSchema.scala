package ducklake.spark.moving.out.delta

import com.fasterxml.jackson.databind.JsonNode
import com.fasterxml.jackson.databind.node.ObjectNode
import com.fasterxml.jackson.databind.node.TextNode
import ducklake.catalog.types.Column
import ducklake.catalog.types.LakeType
import ducklake.spark.moving.out.ExportedColumn

/** The columns of a table as the JSON of Delta. All of them may be NULL for a reader, because older
  * files may lack a column.
  *
  * Source: Delta's protocol, "Schema Serialization Format".
  */
private[delta] final class DeltaSchema(plan: DeltaPlan) {

  def of(columns: Vector[Column]): String = struct(columns).toString

  /** The greatest id of a column or a part of it. */
  def maxColumnId(columns: Vector[Column]): Long =
    ExportedColumn.all(columns).map(_.column.id.value).maxOption.getOrElse(0L)

  private def struct(columns: Vector[Column]): ObjectNode = {
    val node = DeltaJson.empty().put("type", "struct")
    val fields = node.putArray("fields")
    columns.foreach(column => fields.add(field(column)))
    node
  }

  private def field(column: Column): ObjectNode = {
    val node = DeltaJson.empty().put("name", column.name)
    node.set[JsonNode]("type", typeOf(column))
    val metadata = node.put("nullable", true).putObject("metadata")
    column.comment.foreach(metadata.put("comment", _))
    if (plan.mapping != ColumnMapping.Plain)
      metadata
        .put("delta.columnMapping.id", column.id.value)
        .put("delta.columnMapping.physicalName", plan.physical(column.id)): Unit
    val changes = changesIn(column, Vector.empty)
    if (changes.nonEmpty) {
      val list = metadata.putArray("delta.typeChanges")
      changes.foreach(list.add)
    }
    node
  }

  private def typeOf(column: Column): JsonNode = column.dataType match {
    case leaf: LakeType.Primitive => TextNode.valueOf(DeltaTypes.of(leaf).getOrElse(""))
    case LakeType.StructType => struct(column.children)
    case LakeType.ListType =>
      val node = DeltaJson.empty().put("type", "array").put("containsNull", true)
      node.set[ObjectNode]("elementType", typeOf(column.children(0)))
    case LakeType.MapType =>
      val node = DeltaJson.empty().put("type", "map").put("valueContainsNull", true)
      node.set[JsonNode]("keyType", typeOf(column.children(0)))
      node.set[ObjectNode]("valueType", typeOf(column.children(1)))
  }

  /** The widened types of a field, those of elements, keys and values with their path. */
  private def changesIn(column: Column, path: Vector[String]): Vector[ObjectNode] =
    column.dataType match {
      case leaf: LakeType.Primitive =>
        plan.widened.getOrElse(column.id, Vector.empty).map { older =>
          val change = DeltaJson.empty().put("fromType", older)
          change.put("toType", DeltaTypes.of(leaf).getOrElse(""))
          if (path.nonEmpty) change.put("fieldPath", path.mkString("."))
          change
        }
      case LakeType.StructType => Vector.empty
      case LakeType.ListType => changesIn(column.children(0), path :+ "element")
      case LakeType.MapType =>
        changesIn(column.children(0), path :+ "key") ++
          changesIn(column.children(1), path :+ "value")
    }
}
