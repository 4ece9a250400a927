package ducklake.files.parquet

import org.apache.parquet.schema.GroupType
import org.apache.parquet.schema.LogicalTypeAnnotation.ListLogicalTypeAnnotation
import org.apache.parquet.schema.LogicalTypeAnnotation.MapKeyValueTypeAnnotation
import org.apache.parquet.schema.LogicalTypeAnnotation.MapLogicalTypeAnnotation
import org.apache.parquet.schema.MessageType
import org.apache.parquet.schema.PrimitiveType
import org.apache.parquet.schema.Type

import scala.jdk.CollectionConverters.*

/** A node of a Parquet schema. Lists and maps are recognised by the rules of Spark's reader. */
sealed trait FileNode {

  /** The name in the file. */
  def name: String
  def id: Option[Int]
}

object FileNode {

  /** @param path names from the root, as Parquet addresses the column */
  final case class Leaf(name: String, id: Option[Int], path: Vector[String], stored: PrimitiveType)
      extends FileNode

  final case class Group(name: String, id: Option[Int], fields: Vector[FileNode]) extends FileNode
  final case class Repeated(name: String, id: Option[Int], element: FileNode) extends FileNode

  final case class Entries(name: String, id: Option[Int], key: FileNode, value: FileNode)
      extends FileNode

  def ofSchema(schema: MessageType): Vector[FileNode] =
    schema.getFields.asScala.toVector.map(of(_, Vector.empty))

  private def of(field: Type, above: Vector[String]): FileNode =
    if (field.isRepetition(Type.Repetition.REPEATED))
      Repeated(field.getName, idOf(field), single(field, above))
    else single(field, above)

  private def single(field: Type, above: Vector[String]): FileNode = {
    val path = above :+ field.getName
    if (field.isPrimitive) Leaf(field.getName, idOf(field), path, field.asPrimitiveType)
    else {
      val group = field.asGroupType
      field.getLogicalTypeAnnotation match {
        case _: ListLogicalTypeAnnotation if group.getFieldCount == 1 => list(group, path)
        case _: MapLogicalTypeAnnotation | _: MapKeyValueTypeAnnotation if isMap(group) =>
          entries(group, path)
        case _ =>
          Group(field.getName, idOf(field), group.getFields.asScala.toVector.map(of(_, path)))
      }
    }
  }

  private def list(group: GroupType, path: Vector[String]): FileNode = {
    val repeated = group.getType(0)
    val element =
      if (isElement(repeated, group.getName)) single(repeated, path)
      else of(repeated.asGroupType.getType(0), path :+ repeated.getName)
    Repeated(group.getName, idOf(group), element)
  }

  /** Whether the repeated field is itself the element, as in lists of two levels by old writers. */
  private def isElement(repeated: Type, listName: String): Boolean =
    repeated.isPrimitive || repeated.asGroupType.getFieldCount > 1 ||
      repeated.getName == "array" || repeated.getName == s"${listName}_tuple"

  private def isMap(group: GroupType): Boolean =
    group.getFieldCount == 1 && !group.getType(0).isPrimitive &&
      group.getType(0).asGroupType.getFieldCount == 2

  private def entries(group: GroupType, path: Vector[String]): FileNode = {
    val keyValue = group.getType(0).asGroupType
    val below = path :+ keyValue.getName
    Entries(
      group.getName,
      idOf(group),
      of(keyValue.getType(0), below),
      of(keyValue.getType(1), below),
    )
  }

  private def idOf(field: Type): Option[Int] = Option(field.getId).map(_.intValue)
}
