package ducklake.files.foreign

import org.apache.parquet.schema.GroupType
import org.apache.parquet.schema.LogicalTypeAnnotation.ListLogicalTypeAnnotation
import org.apache.parquet.schema.LogicalTypeAnnotation.MapKeyValueTypeAnnotation
import org.apache.parquet.schema.LogicalTypeAnnotation.MapLogicalTypeAnnotation
import org.apache.parquet.schema.Type

import scala.jdk.CollectionConverters.ListHasAsScala

/** Finds the columns of a table in a file by their field ids.
  *
  * @param names of the table's columns and their parts, by id
  */
private[foreign] final class FieldIds(names: Map[Int, String]) {

  /** The name of the table's column with the id of the field. A field that no column has gets a name
    * that no column has.
    */
  def nameOf(field: Type): String =
    idOf(field).flatMap(names.get).getOrElse(s"${FieldIds.Unknown}${field.getName}")

  /** The path of the first field without an id, or of a part of a list or map that has not the id of
    * such a part. Readers find fields by their ids on each level.
    */
  def unusable(group: GroupType): Option[String] = inFields(group, Vector.empty)

  private def inFields(group: GroupType, above: Vector[String]): Option[String] =
    group.getFields.asScala.iterator
      .flatMap { field =>
        val path = above :+ field.getName
        if (idOf(field).isEmpty) Some(path.mkString(".")) else within(field, path)
      }
      .nextOption()

  /** The repeated group of a list or map has no id. */
  private def within(field: Type, path: Vector[String]): Option[String] =
    if (field.isPrimitive) None
    else {
      val group = field.asGroupType
      Option(group.getLogicalTypeAnnotation) match {
        case Some(_: ListLogicalTypeAnnotation) => inParts(group, Vector("element"), path)
        case Some(_: MapLogicalTypeAnnotation | _: MapKeyValueTypeAnnotation) =>
          inParts(group, Vector("key", "value"), path)
        case _ => inFields(group, path)
      }
    }

  private def inParts(
      group: GroupType,
      parts: Vector[String],
      path: Vector[String],
  ): Option[String] = {
    val repeated = group.getFields.asScala.filterNot(_.isPrimitive).map(_.asGroupType)
    repeated.iterator
      .flatMap(_.getFields.asScala.zip(parts))
      .flatMap { case (field, part) =>
        val own = path :+ part
        val isPart = idOf(field).exists(id => names.get(id).forall(_ == part))
        if (isPart) within(field, own) else Some(own.mkString("."))
      }
      .nextOption()
  }

  private def idOf(field: Type): Option[Int] = Option(field.getId).map(_.intValue)
}

private[foreign] object FieldIds {

  /** No column has a name that begins so. */
  private val Unknown = "\u0000"
}
