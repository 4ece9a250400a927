package ducklake.files.copy.plan

import ducklake.catalog.types.Column
import ducklake.catalog.types.ColumnId
import ducklake.catalog.types.LakeType
import ducklake.files.parquet.LeafColumn
import org.apache.parquet.schema.GroupType
import org.apache.parquet.schema.MessageType
import org.apache.parquet.schema.PrimitiveType
import org.apache.parquet.schema.Type
import org.apache.parquet.schema.Type.Repetition
import org.apache.parquet.schema.Types

import scala.jdk.CollectionConverters.ListHasAsScala
import scala.jdk.CollectionConverters.SeqHasAsJava

/** Makes the schema of a new file from the schema of a file of new rows. A column that all files
  * store in another way keeps their way, so that its values need not be converted.
  *
  * @param stored for the path of each column, the types that the files have there
  * @param shapes how many shapes the files have
  */
private[plan] final class CopySchema(
    columns: Map[Vector[String], LakeType.Primitive],
    stored: Map[Vector[String], Vector[Type]],
    shapes: Int,
) {

  /** None when a column's values need a conversion. */
  def of(blank: MessageType): Option[MessageType] =
    fields(blank, Vector.empty).map(all => new MessageType(blank.getName, all.asJava))

  private def fields(group: GroupType, above: Vector[String]): Option[Vector[Type]] = {
    val each = group.getFields.asScala.toVector.map(field => node(field, above :+ field.getName))
    Option.when(each.forall(_.nonEmpty))(each.flatten)
  }

  private def node(blank: Type, path: Vector[String]): Option[Type] = {
    val found = stored.getOrElse(path, Vector.empty)
    (columns.get(path), blank) match {
      case (Some(LakeType.Variant), group: GroupType) => variant(group, found)
      case (Some(lakeType), leaf: PrimitiveType) =>
        val usual = if (path.sizeIs == 1 && isRequired(found)) required(leaf) else leaf
        StoredType.common(lakeType, usual, found.collect { case one: PrimitiveType => one })
      case (_, group: GroupType) =>
        fields(group, path).map(all => group.withNewFields(all.asJava))
      case (_, leaf) => Some(leaf)
    }
  }

  /** Whether no file has a NULL in the column. DuckDB 2.0 writes these columns as required, and
    * their pages have no levels.
    */
  private def isRequired(found: Vector[Type]): Boolean =
    found.sizeIs == shapes && found.forall(_.isRepetition(Repetition.REQUIRED))

  private def required(leaf: PrimitiveType): PrimitiveType = {
    val plain = Types.required(leaf.getPrimitiveTypeName).length(leaf.getTypeLength)
    val known = plain.id(leaf.getId.intValue)
    Option(leaf.getLogicalTypeAnnotation).fold(known)(known.as(_)).named(leaf.getName)
  }

  /** Variants may be split into columns. They are copied when all files have the same columns. */
  private def variant(blank: GroupType, found: Vector[Type]): Option[Type] =
    found.map(_.asGroupType.getFields).distinct match {
      case Vector() => Some(blank)
      case Vector(parts) => Some(blank.withNewFields(parts))
      case _ => None
    }
}

private[plan] object CopySchema {

  /** A column without children in a new file.
    *
    * @param path of the column in the file; for a variant, the path of its group
    * @param columns the column and those that contain it, from the top
    */
  final case class Part(
      path: Vector[String],
      columns: Vector[ColumnId],
      lakeType: LakeType.Primitive,
  ) {

    /** The leaves of the column, for its statistics. The metadata leaf of a variant comes first,
      * because each value has metadata.
      */
    def leaves(message: MessageType): Vector[LeafColumn] =
      lakeType match {
        case LakeType.Variant =>
          val below = message.getColumns.asScala.map(_.getPath.toVector).filter(_.startsWith(path))
          val (metadata, others) = below.toVector.partition(_ == path :+ "metadata")
          (metadata ++ others).map(LeafColumn(_, columns, lakeType))
        case _ => Vector(LeafColumn(path, columns, lakeType))
      }
  }

  /** The columns without children below a column of a new file. */
  def parts(column: Column, blank: Type): Vector[Part] =
    parts(column, blank, Vector.empty, Vector.empty)

  private def parts(
      column: Column,
      blank: Type,
      above: Vector[String],
      ancestors: Vector[ColumnId],
  ): Vector[Part] = {
    val path = above :+ blank.getName
    val columns = ancestors :+ column.id
    def below(group: GroupType, path: Vector[String]): Vector[Part] =
      column.children.zip(group.getFields.asScala).flatMap { case (child, field) =>
        parts(child, field, path, columns)
      }
    column.dataType match {
      case primitive: LakeType.Primitive => Vector(Part(path, columns, primitive))
      case LakeType.StructType => below(blank.asGroupType, path)
      case LakeType.ListType | LakeType.MapType =>
        val repeated = blank.asGroupType.getType(0).asGroupType
        below(repeated, path :+ repeated.getName)
    }
  }
}
