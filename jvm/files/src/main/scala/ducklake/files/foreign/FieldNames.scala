package ducklake.files.foreign

import org.apache.parquet.schema.GroupType
import org.apache.parquet.schema.LogicalTypeAnnotation.ListLogicalTypeAnnotation
import org.apache.parquet.schema.LogicalTypeAnnotation.MapKeyValueTypeAnnotation
import org.apache.parquet.schema.LogicalTypeAnnotation.MapLogicalTypeAnnotation
import org.apache.parquet.schema.Type

import scala.jdk.CollectionConverters.ListHasAsScala

/** Whether the fields of a file, which a table finds by their ids, can be found by their names, too.
  *
  * @param names of the table's columns and of the fields of its structs, by id
  */
private[foreign] final class FieldNames(names: Map[Int, String]) {

  private val known = names.values.toSet

  /** The path of the first field without an id, with the name of another id, or with an id that no
    * column has and the name of a column.
    */
  def misnamed(group: GroupType): Option[String] = inFields(group, Vector.empty)

  private def inFields(group: GroupType, above: Vector[String]): Option[String] =
    group.getFields.asScala.iterator
      .flatMap { field =>
        val path = above :+ field.getName
        if (hasItsName(field)) within(field, path) else Some(path.mkString("."))
      }
      .nextOption()

  private def hasItsName(field: Type): Boolean =
    Option(field.getId).map(_.intValue).exists { id =>
      names.get(id).fold(!known(field.getName))(_ == field.getName)
    }

  /** Elements, keys and values need no ids. */
  private def within(field: Type, path: Vector[String]): Option[String] =
    if (field.isPrimitive) None
    else {
      val group = field.asGroupType
      Option(group.getLogicalTypeAnnotation) match {
        case Some(
              _: ListLogicalTypeAnnotation | _: MapLogicalTypeAnnotation |
              _: MapKeyValueTypeAnnotation
            ) =>
          group.getFields.asScala.iterator
            .filterNot(_.isPrimitive)
            .flatMap(_.asGroupType.getFields.asScala)
            .flatMap(part => within(part, path :+ part.getName))
            .nextOption()
        case _ => inFields(group, path)
      }
    }
}
