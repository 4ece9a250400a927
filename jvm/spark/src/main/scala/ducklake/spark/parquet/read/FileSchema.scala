package ducklake.spark.parquet.read

import org.apache.parquet.schema.GroupType
import org.apache.parquet.schema.LogicalTypeAnnotation.VariantLogicalTypeAnnotation
import org.apache.parquet.schema.MessageType
import org.apache.parquet.schema.PrimitiveType
import org.apache.parquet.schema.Type

import scala.jdk.CollectionConverters.*

/** A file's schema with some columns described otherwise than the file does. */
object FileSchema {

  /** Variants become plain groups, since they are read by their parts.
    *
    * @param replaced by path from the root; names and physical types stay
    */
  def replacing(
      schema: MessageType,
      replaced: Map[Vector[String], PrimitiveType],
  ): MessageType =
    if (replaced.isEmpty) schema
    else
      new MessageType(
        schema.getName,
        schema.getFields.asScala.map(rewritten(_, Vector.empty, replaced)).asJava,
      )

  private def rewritten(
      field: Type,
      above: Vector[String],
      replaced: Map[Vector[String], PrimitiveType],
  ): Type = {
    val path = above :+ field.getName
    field match {
      case group: GroupType =>
        val fields = group.getFields.asScala.map(rewritten(_, path, replaced)).asJava
        group.getLogicalTypeAnnotation match {
          case _: VariantLogicalTypeAnnotation =>
            new GroupType(group.getRepetition, group.getName, fields)
          case _ => group.withNewFields(fields)
        }
      case leaf => replaced.getOrElse(path, leaf)
    }
  }
}
