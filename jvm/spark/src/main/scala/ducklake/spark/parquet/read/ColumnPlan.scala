package ducklake.spark.parquet.read

import ducklake.catalog.model.ColumnId
import ducklake.catalog.types.LakeType
import ducklake.spark.parquet.vector.ConvertedVector
import ducklake.spark.parquet.vector.ListVector
import ducklake.spark.parquet.vector.MapVector
import ducklake.spark.parquet.vector.StructVector
import ducklake.spark.parquet.vector.VariantVector
import org.apache.parquet.schema.PrimitiveType
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow
import org.apache.spark.sql.execution.vectorized.ColumnVectorUtils
import org.apache.spark.sql.execution.vectorized.ConstantColumnVector
import org.apache.spark.sql.execution.vectorized.WritableColumnVector
import org.apache.spark.sql.types.ArrayType
import org.apache.spark.sql.types.BinaryType
import org.apache.spark.sql.types.DataType
import org.apache.spark.sql.types.MapType
import org.apache.spark.sql.types.StructField
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.types.VariantType
import org.apache.spark.sql.vectorized.ColumnVector

/** How one wanted column, or part of one, comes out of one file. */
sealed trait ColumnPlan {

  /** The type that Spark expects of the result. */
  def shown: DataType

  /** What Spark's reader is asked for; None when the file is not needed. */
  def asked: Option[DataType]

  /** The result, over the vector that the reader filled. It is the reader's own vector when there is
    * nothing to change.
    */
  def bind(read: WritableColumnVector): ColumnVector
}

object ColumnPlan {

  /** The same value for every row, as Spark holds it (null: NULL).
    *
    * @param isExact whether nothing of the lake's value is lost in Spark's type
    */
  final case class Constant(shown: DataType, value: Any, isExact: Boolean) extends ColumnPlan {
    def asked: Option[DataType] = None
    def bind(read: WritableColumnVector): ColumnVector = vector

    /** A vector that needs nothing of the file. */
    def vector: ColumnVector = {
      val constant = new ConstantColumnVector(1, shown)
      ColumnVectorUtils.populate(constant, new GenericInternalRow(Array[Any](value)), 0)
      constant
    }
  }

  /** @param id and `lakeType`: the column of the table that this is
    */
  final case class Leaf(
      shown: DataType,
      id: ColumnId,
      lakeType: LakeType.Primitive,
      file: FileNode.Leaf,
      reading: LeafReading,
  ) extends ColumnPlan {
    def asked: Option[DataType] = Some(reading.readAs)

    def bind(read: WritableColumnVector): ColumnVector =
      reading.conversion match {
        case None => read
        case Some(conversion) if shown == VariantType => new VariantVector(read, conversion)
        case Some(conversion) => new ConvertedVector(shown, read, conversion)
      }
  }

  /** A variant, read in the parts that the file has: Spark's reader fails on some of DuckDB's.
    */
  final case class Variant(metadata: FileNode.Leaf, shape: VariantShape) extends ColumnPlan {
    def shown: DataType = VariantType

    def asked: Option[DataType] =
      Some(StructType(StructField(VariantShape.Metadata, BinaryType) +: shape.asked.fields))

    def bind(read: WritableColumnVector): ColumnVector = new VariantColumn(read, shape)

    /** Columns as Spark's reader is to see them. */
    def replacements: Vector[(Vector[String], PrimitiveType)] =
      shape.replacements :+ (metadata.path -> LeafReading.plain(metadata.stored))
  }

  /** @param fields one for each wanted field, with its name in the file
    * @param presence read only to know where the struct is NULL, when no wanted field is in the file
    */
  final case class Struct(
      shown: DataType,
      fields: Vector[(String, ColumnPlan)],
      presence: Option[StructField],
  ) extends ColumnPlan {

    def asked: Option[DataType] = {
      val wanted = fields.flatMap { case (name, plan) =>
        plan.asked.map(StructField(name, _, nullable = true))
      }
      Some(StructType((wanted ++ presence).toArray))
    }

    def bind(read: WritableColumnVector): ColumnVector = {
      val children = Struct.bindAll(fields.map(_._2), read.getChild(_))
      val isUnchanged = presence.isEmpty && children.indices.forall { index =>
        fields(index)._2.asked.nonEmpty && (children(index) eq read.getChild(index))
      }
      if (isUnchanged) read else new StructVector(shown, read, children.toArray)
    }
  }

  object Struct {

    /** Results of the plans; those that read take the vectors in turn. */
    def bindAll(
        plans: Vector[ColumnPlan],
        vectorAt: Int => WritableColumnVector,
    ): Vector[ColumnVector] = {
      val ordinals = plans.scanLeft(0)((next, plan) => next + plan.asked.size)
      plans.zip(ordinals).map {
        case (constant: Constant, _) => constant.vector
        case (plan, ordinal) => plan.bind(vectorAt(ordinal))
      }
    }
  }

  final case class List(shown: DataType, element: ColumnPlan) extends ColumnPlan {
    def asked: Option[DataType] = element.asked.map(ArrayType(_, containsNull = true))

    def bind(read: WritableColumnVector): ColumnVector = {
      val elements = element.bind(read.getChild(0))
      if (elements eq read.getChild(0)) read else new ListVector(shown, read, elements)
    }
  }

  final case class Entries(shown: DataType, key: ColumnPlan, value: ColumnPlan) extends ColumnPlan {
    def asked: Option[DataType] =
      key.asked.zip(value.asked).map { case (k, v) => MapType(k, v, valueContainsNull = true) }

    def bind(read: WritableColumnVector): ColumnVector = {
      val keys = key.bind(read.getChild(0))
      val values = value.bind(read.getChild(1))
      val isUnchanged = (keys eq read.getChild(0)) && (values eq read.getChild(1))
      if (isUnchanged) read else new MapVector(shown, read, keys, values)
    }
  }
}
