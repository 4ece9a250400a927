package ducklake.files.foreign

import org.apache.parquet.schema.GroupType
import org.apache.parquet.schema.LogicalTypeAnnotation.ListLogicalTypeAnnotation
import org.apache.parquet.schema.LogicalTypeAnnotation.MapKeyValueTypeAnnotation
import org.apache.parquet.schema.LogicalTypeAnnotation.MapLogicalTypeAnnotation
import org.apache.parquet.schema.MessageType
import org.apache.parquet.schema.Type

import scala.jdk.CollectionConverters.ListHasAsScala
import scala.jdk.CollectionConverters.SeqHasAsJava

/** The field ids that names stand for in files without ids.
  *
  * Source: Iceberg's specification, name mapping.
  *
  * @param below of the fields of a struct, the `element` of a list, the `key` and `value` of a map
  */
final case class NamedId(id: Option[Int], below: Map[String, NamedId])

/** Gives the fields of a file without ids the ids that their names stand for. */
private[foreign] object NamedIds {

  def hasIds(group: GroupType): Boolean =
    group.getFields.asScala.exists { field =>
      Option(field.getId).nonEmpty || (!field.isPrimitive && hasIds(field.asGroupType))
    }

  /** The schema with ids. A field whose name stands for none has none. */
  def identified(schema: MessageType, names: Map[String, NamedId]): MessageType =
    new MessageType(schema.getName, fields(schema, names).asJava)

  private def fields(group: GroupType, names: Map[String, NamedId]): Vector[Type] =
    group.getFields.asScala.toVector.map { field =>
      names.get(field.getName).fold(field)(identified(field, _))
    }

  private def identified(field: Type, name: NamedId): Type = {
    val whole = if (field.isPrimitive) field else within(field.asGroupType, name.below)
    name.id.fold(whole)(whole.withId(_))
  }

  private def within(group: GroupType, below: Map[String, NamedId]): Type =
    Option(group.getLogicalTypeAnnotation) match {
      case Some(_: ListLogicalTypeAnnotation) => parts(group, below, Vector("element"))
      case Some(_: MapLogicalTypeAnnotation | _: MapKeyValueTypeAnnotation) =>
        parts(group, below, Vector("key", "value"))
      case _ => group.withNewFields(fields(group, below).asJava)
    }

  /** The parts of a list or map are in a repeated group. */
  private def parts(group: GroupType, below: Map[String, NamedId], names: Vector[String]): Type = {
    val inner = group.getFields.asScala.toVector.map {
      case repeated if repeated.isPrimitive => repeated
      case repeated =>
        val old = repeated.asGroupType.getFields.asScala.toVector
        val fresh = old.zipWithIndex.map { case (part, place) =>
          names.lift(place).flatMap(below.get).fold(part)(identified(part, _))
        }
        repeated.asGroupType.withNewFields(fresh.asJava)
    }
    group.withNewFields(inner.asJava)
  }

  /** The names of fields, by their ids. */
  def namesOf(group: GroupType): Map[Int, String] =
    group.getFields.asScala.flatMap { field =>
      Option(field.getId).map(_.intValue -> field.getName).toVector ++
        (if (field.isPrimitive) Map.empty[Int, String] else namesOf(field.asGroupType))
    }.toMap
}
