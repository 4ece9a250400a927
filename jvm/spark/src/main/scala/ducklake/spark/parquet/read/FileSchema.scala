package ducklake.spark.parquet.read

import ducklake.files.parquet.LogicalTypes
import org.apache.parquet.schema.GroupType
import org.apache.parquet.schema.MessageType
import org.apache.parquet.schema.PrimitiveType
import org.apache.parquet.schema.Type

import scala.jdk.CollectionConverters.*

/** Changes the description of columns in a file's schema. */
object FileSchema {

  /** The schema with other types for some columns. Variants become plain groups, because their
    * parts are read as separate columns.
    *
    * @param replaced the new types by the column's path from the root; names and physical types
    *   stay the same
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
        if (LogicalTypes.isVariant(group.getLogicalTypeAnnotation))
          new GroupType(group.getRepetition, group.getName, fields)
        else group.withNewFields(fields)
      case leaf => replaced.getOrElse(path, leaf)
    }
  }
}
