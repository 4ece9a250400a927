package ducklake.spark.parquet.read

import ducklake.catalog.types.LakeType
import ducklake.files.parquet.FileNode
import ducklake.spark.errors.ValueSubject
import ducklake.spark.parquet.vector.DirectValue
import ducklake.spark.parquet.vector.FileType
import ducklake.spark.parquet.vector.VariantConversions
import ducklake.spark.sparkapi.sql.VariantStep
import org.apache.parquet.schema.PrimitiveType
import org.apache.spark.sql.types.ArrayType
import org.apache.spark.sql.types.BinaryType
import org.apache.spark.sql.types.DataType
import org.apache.spark.sql.types.StructField
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.types.VariantType

/** How a file stores a variant or a part of a variant: in one binary, in columns of the value's own
  * type, or in both ways.
  *
  * Source: Parquet format, VariantShredding.
  */
final case class VariantShape(value: Boolean, typed: Option[VariantShape.Typed]) {

  /** The type that is requested from Spark's reader. */
  def requested: StructType = {
    val binary = Option.when(value)(StructField(VariantShape.Value, BinaryType))
    val own = typed.map(t => StructField(VariantShape.TypedValue, VariantShape.requested(t)))
    StructType((binary ++ own).toArray)
  }

  /** The columns of the shape, with the types that the schema for the reader has. */
  def replacements: Vector[(Vector[String], PrimitiveType)] =
    typed.toVector.flatMap {
      case VariantShape.Scalar(leaf, reading, _, _) => Vector(leaf.path -> reading.stored)
      case VariantShape.Items(element) => element.replacements
      case VariantShape.Fields(fields) => fields.flatMap(_._2.replacements)
    }

  /** The part of the shape that holds the values at these paths. Rows whose values have no columns
    * of their own hold them in the binaries, which stay.
    */
  def holding(paths: Vector[Vector[VariantStep]]): VariantShape =
    if (paths.exists(_.isEmpty)) this
    else copy(typed = typed.flatMap(VariantShape.holding(_, paths)))

  private def isEmpty: Boolean = !value && typed.isEmpty
}

object VariantShape {

  val Metadata: String = "metadata"
  val Value: String = "value"
  val TypedValue: String = "typed_value"

  sealed trait Typed

  /** @param direct how values are read as a type, where this needs no variant */
  final case class Scalar(
      leaf: FileNode.Leaf,
      reading: ParquetColumnSource,
      append: VariantConversions.Append,
      direct: DataType => Option[DirectValue],
  ) extends Typed
  final case class Items(element: VariantShape) extends Typed
  final case class Fields(fields: Vector[(String, VariantShape)]) extends Typed

  private def holding(typed: Typed, paths: Vector[Vector[VariantStep]]): Option[Typed] =
    typed match {
      case _: Scalar => None
      case Items(element) =>
        val inside = paths.collect { case VariantStep.Element(_) +: rest => rest }
        part(element, inside).map(Items(_))
      case Fields(fields) =>
        val needed = fields.flatMap { case (name, shape) =>
          val inside = paths.collect { case VariantStep.Field(`name`) +: rest => rest }
          part(shape, inside).map(name -> _)
        }
        Option.when(needed.nonEmpty)(Fields(needed))
    }

  private def part(
      shape: VariantShape,
      paths: Vector[Vector[VariantStep]],
  ): Option[VariantShape] =
    Option.when(paths.nonEmpty)(shape.holding(paths)).filterNot(_.isEmpty)

  private def requested(typed: Typed): DataType =
    typed match {
      case Scalar(_, reading, _, _) => reading.readAs
      case Items(element) => ArrayType(element.requested, containsNull = true)
      case Fields(fields) =>
        StructType(fields.map { case (name, shape) => StructField(name, shape.requested) }.toArray)
    }

  /** The plan for a variant; None when the group is not a variant or holds columns that variants
    * cannot have.
    */
  def of(group: FileNode.Group, subject: ValueSubject): Option[ColumnPlan.Variant] =
    for {
      metadata <- binary(group, Metadata)
      shape <- below(group, subject)
    } yield ColumnPlan.Variant(metadata, shape)

  private def below(group: FileNode.Group, subject: ValueSubject): Option[VariantShape] = {
    val hasValue = binary(group, Value).nonEmpty
    group.fields.find(_.name == TypedValue) match {
      case None => Option.when(hasValue)(VariantShape(hasValue, None))
      case Some(found) => typed(found, subject).map(t => VariantShape(hasValue, Some(t)))
    }
  }

  private def binary(group: FileNode.Group, name: String): Option[FileNode.Leaf] =
    group.fields.collectFirst {
      case leaf: FileNode.Leaf
          if leaf.name == name && ParquetColumnSource.physical(leaf.stored) == BinaryType =>
        leaf
    }

  private def typed(node: FileNode, subject: ValueSubject): Option[Typed] =
    node match {
      case leaf: FileNode.Leaf => scalar(leaf, subject)
      case FileNode.Repeated(_, _, element: FileNode.Group) =>
        below(element, subject).map(Items(_))
      case group: FileNode.Group =>
        val fields = group.fields.collect { case field: FileNode.Group =>
          below(field, subject).map(field.name -> _)
        }
        Option.when(fields.size == group.fields.size && fields.forall(_.nonEmpty))(
          Fields(fields.flatten)
        )
      case _ => None
    }

  private def scalar(leaf: FileNode.Leaf, subject: ValueSubject): Option[Scalar] =
    for {
      file <- FileType.of(leaf.stored)
      append <- VariantConversions.append(file, subject)
      reading <- ParquetColumnSource.of(leaf.stored, file, LakeType.Variant, VariantType, subject)
    } yield Scalar(leaf, reading, append, DirectValue.of(file, _, subject))
}
