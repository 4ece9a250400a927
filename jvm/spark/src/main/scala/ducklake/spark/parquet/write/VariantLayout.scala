package ducklake.spark.parquet.write

import ducklake.catalog.types.LakeType
import ducklake.catalog.types.ShreddedType
import ducklake.files.parquet.LeafColumn
import org.apache.hadoop.conf.Configuration
import org.apache.parquet.schema.GroupType
import org.apache.parquet.schema.MessageType
import org.apache.parquet.schema.Type
import org.apache.spark.sql.execution.datasources.parquet.SparkToParquetSchemaConverter
import org.apache.spark.sql.types.ArrayType
import org.apache.spark.sql.types.BinaryType
import org.apache.spark.sql.types.BooleanType
import org.apache.spark.sql.types.ByteType
import org.apache.spark.sql.types.DataType
import org.apache.spark.sql.types.DateType
import org.apache.spark.sql.types.DecimalType
import org.apache.spark.sql.types.DoubleType
import org.apache.spark.sql.types.FloatType
import org.apache.spark.sql.types.IntegerType
import org.apache.spark.sql.types.LongType
import org.apache.spark.sql.types.ShortType
import org.apache.spark.sql.types.StringType
import org.apache.spark.sql.types.StructField
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.types.TimestampNTZType
import org.apache.spark.sql.types.TimestampType
import org.apache.spark.sql.types.VariantType

import scala.jdk.CollectionConverters.ListHasAsScala
import scala.jdk.CollectionConverters.SeqHasAsJava

/** The columns of one new file.
  *
  * @param rowType the types that Spark's Parquet writer writes; a variant whose values have columns
  *   has the type of these columns
  * @param message the file's schema, of the same shape as `rowType`
  * @param leaves the primitive columns, for the statistics. The metadata of a variant comes first,
  *   because each value has metadata
  */
private[write] final case class VariantLayout(
    rowType: StructType,
    message: MessageType,
    leaves: Vector[LeafColumn],
)

private[write] object VariantLayout {

  /** @param rowType the type of the rows with the columns of variants */
  def of(columns: ColumnConverters, rowType: StructType, conf: Configuration): VariantLayout = {
    val message = new MessageType(
      columns.message.getName,
      fields(columns.message, rowType, new SparkToParquetSchemaConverter(conf)).asJava,
    )
    VariantLayout(rowType, message, columns.leaves.flatMap(below(_, message)))
  }

  /** The type in Spark of the values that have columns. Spark's variants have no times of day, no
    * nanoseconds and no UUIDs, so no row needs a column for these.
    */
  def values(shredded: ShreddedType): DataType =
    shredded match {
      case ShreddedType.Whole => VariantType
      case ShreddedType.Items(element) => ArrayType(values(element))
      case ShreddedType.Fields(fields) =>
        StructType(fields.map { case (name, field) => StructField(name, values(field)) })
      case ShreddedType.Value(lakeType) => scalar(lakeType)
    }

  private def scalar(lakeType: LakeType.Primitive): DataType =
    lakeType match {
      case LakeType.Bool => BooleanType
      case LakeType.Int8 => ByteType
      case LakeType.Int16 => ShortType
      case LakeType.Int32 => IntegerType
      case LakeType.Int64 => LongType
      case LakeType.Float32 => FloatType
      case LakeType.Float64 => DoubleType
      case LakeType.Decimal(precision, scale) => DecimalType(precision, scale)
      case LakeType.Date => DateType
      case LakeType.Timestamp => TimestampNTZType
      case LakeType.TimestampTz => TimestampType
      case LakeType.Varchar | LakeType.Json => StringType
      case LakeType.Blob => BinaryType
      case _ => VariantType
    }

  private def fields(
      group: GroupType,
      types: StructType,
      converter: SparkToParquetSchemaConverter,
  ): Vector[Type] =
    group.getFields.asScala.toVector.zip(types.fields.toVector).map {
      case (field: GroupType, StructField(_, variant: StructType, _, _))
          if SparkShredding.isShredded(variant) =>
        field.withNewFields(converter.convert(variant).getFields)
      case (field: GroupType, StructField(_, struct: StructType, _, _)) =>
        field.withNewFields(fields(field, struct, converter).asJava)
      case (field, _) => field
    }

  /** All columns of the variant, in the place of its metadata. */
  private def below(leaf: LeafColumn, message: MessageType): Vector[LeafColumn] =
    if (leaf.lakeType != LakeType.Variant) Vector(leaf)
    else if (leaf.path.last != Metadata) Vector.empty
    else {
      val group = leaf.path.init
      val all = message.getColumns.asScala.toVector.map(_.getPath.toVector)
      leaf +: all.filter(path => path.startsWith(group) && path != leaf.path).map { path =>
        leaf.copy(path = path)
      }
    }

  private val Metadata = "metadata"
}
