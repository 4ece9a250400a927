package ducklake.spark.parquet.read

import ducklake.catalog.types.ColumnId
import ducklake.catalog.types.LakeType
import ducklake.files.parquet.FileNode
import ducklake.spark.parquet.vector.ConvertedVector
import ducklake.spark.parquet.vector.ExtractedVector
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

/** How one requested column, or a part of a column, is read from one file. */
sealed trait ColumnPlan {

  /** The type that Spark expects of the result. */
  def shown: DataType

  /** The type that is requested from Spark's reader; None when nothing is read from the file. */
  def requested: Option[DataType]

  /** The result vector over the vector that the reader fills. It is the reader's own vector when
    * nothing has to be changed.
    */
  def bind(read: WritableColumnVector): ColumnVector
}

object ColumnPlan {

  /** The same value for every row, in Spark's internal form (null: NULL).
    *
    * @param isExact whether Spark's type holds the lake's value without loss
    */
  final case class Constant(shown: DataType, value: Any, isExact: Boolean) extends ColumnPlan {
    def requested: Option[DataType] = None
    def bind(read: WritableColumnVector): ColumnVector = vector

    /** The result vector, which needs no vector of the file. */
    def vector: ColumnVector = {
      val constant = new ConstantColumnVector(1, shown)
      ColumnVectorUtils.populate(constant, new GenericInternalRow(Array[Any](value)), 0)
      constant
    }
  }

  /** A primitive column of the file.
    *
    * @param id with `lakeType`: the column of the table
    */
  final case class Leaf(
      shown: DataType,
      id: ColumnId,
      lakeType: LakeType.Primitive,
      file: FileNode.Leaf,
      reading: ParquetColumnSource,
  ) extends ColumnPlan {
    def requested: Option[DataType] = Some(reading.readAs)

    def bind(read: WritableColumnVector): ColumnVector =
      reading.conversion match {
        case None => read
        case Some(conversion) if shown == VariantType => new VariantVector(read, conversion)
        case Some(conversion) => new ConvertedVector(shown, read, conversion)
      }
  }

  /** A variant, which is read as the separate columns that the file has. Spark's own reader fails
    * on some of DuckDB's variants.
    */
  final case class Variant(metadata: FileNode.Leaf, shape: VariantShape) extends ColumnPlan {
    def shown: DataType = VariantType

    def requested: Option[DataType] =
      Some(StructType(StructField(VariantShape.Metadata, BinaryType) +: shape.requested.fields))

    def bind(read: WritableColumnVector): ColumnVector = new VariantColumn(read, shape)

    /** The columns of the variant, with the types that the schema for Spark's reader has. */
    def replacements: Vector[(Vector[String], PrimitiveType)] =
      shape.replacements :+ (metadata.path -> ParquetColumnSource.plain(metadata.stored))
  }

  /** Values that a query takes from a variant.
    *
    * @param shown shows them
    * @param variant the variant, or as much of it as they need
    */
  final case class Extracted(shown: StructType, variant: ColumnPlan) extends ColumnPlan {
    def requested: Option[DataType] = variant.requested

    def bind(read: WritableColumnVector): ColumnVector =
      variant.bind(read) match {
        case column: VariantColumn => column.extracted(shown)
        case other => ExtractedVector.over(shown, other)
      }
  }

  /** A struct.
    *
    * @param fields a plan for each requested field, with the field's name in the file
    * @param presence a field that is read only to find where the struct is NULL, when the file has
    *   no requested field
    */
  final case class Struct(
      shown: DataType,
      fields: Vector[(String, ColumnPlan)],
      presence: Option[Presence],
  ) extends ColumnPlan {

    def requested: Option[DataType] = {
      val wanted = fields.flatMap { case (name, plan) =>
        plan.requested.map(StructField(name, _, nullable = true))
      }
      Some(StructType((wanted ++ presence.map(_.requested)).toArray))
    }

    def bind(read: WritableColumnVector): ColumnVector = {
      val children = Struct.bindAll(fields.map(_._2), read.getChild(_))
      val isUnchanged = presence.isEmpty && children.indices.forall { index =>
        fields(index)._2.requested.nonEmpty && (children(index) eq read.getChild(index))
      }
      if (isUnchanged) read else new StructVector(shown, read, children.toArray)
    }
  }

  object Struct {

    /** The result vectors of the plans. The plans that read from the file take the reader's vectors
      * one after another.
      */
    def bindAll(
        plans: Vector[ColumnPlan],
        vectorAt: Int => WritableColumnVector,
    ): Vector[ColumnVector] = {
      val ordinals = plans.scanLeft(0)((next, plan) => next + plan.requested.size)
      plans.zip(ordinals).map {
        case (constant: Constant, _) => constant.vector
        case (Extracted(shown, constant: Constant), _) =>
          ExtractedVector.over(shown, constant.vector)
        case (plan, ordinal) => plan.bind(vectorAt(ordinal))
      }
    }
  }

  final case class List(shown: DataType, element: ColumnPlan) extends ColumnPlan {
    def requested: Option[DataType] = element.requested.map(ArrayType(_, containsNull = true))

    def bind(read: WritableColumnVector): ColumnVector = {
      val elements = element.bind(read.getChild(0))
      if (elements eq read.getChild(0)) read else new ListVector(shown, read, elements)
    }
  }

  final case class Entries(shown: DataType, key: ColumnPlan, value: ColumnPlan) extends ColumnPlan {
    def requested: Option[DataType] =
      key.requested.zip(value.requested).map { case (k, v) =>
        MapType(k, v, valueContainsNull = true)
      }

    def bind(read: WritableColumnVector): ColumnVector = {
      val keys = key.bind(read.getChild(0))
      val values = value.bind(read.getChild(1))
      val isUnchanged = (keys eq read.getChild(0)) && (values eq read.getChild(1))
      if (isUnchanged) read else new MapVector(shown, read, keys, values)
    }
  }
}
