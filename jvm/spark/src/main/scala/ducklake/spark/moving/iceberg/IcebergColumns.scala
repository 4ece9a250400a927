package ducklake.spark.moving.iceberg

import ducklake.catalog.types.Column
import ducklake.catalog.types.ColumnDefault
import ducklake.catalog.types.ColumnId
import ducklake.catalog.types.LakeType
import ducklake.catalog.types.text.ValueText
import org.apache.iceberg.types.Type
import org.apache.iceberg.types.Types

import scala.jdk.CollectionConverters.ListHasAsScala

/** The columns of a table of Iceberg as columns of a lake.
  *
  * @param columns with the field ids as column ids
  * @param refused what a lake has not, by the path of the column
  */
private[iceberg] final case class IcebergColumns(columns: Vector[Column], refused: Vector[String])

private[iceberg] object IcebergColumns {

  def of(fields: Seq[Types.NestedField]): IcebergColumns = {
    val found = fields.toVector.map(column(_, Vector.empty))
    IcebergColumns(found.map(_._1), found.flatMap(_._2))
  }

  private type Found = (Column, Vector[String])

  private def column(field: Types.NestedField, above: Vector[String]): Found = {
    val path = above :+ field.name
    val (lakeType, children, refused) = field.`type` match {
      case struct: Types.StructType =>
        nested(LakeType.StructType, struct.fields.asScala.toVector, path)
      case list: Types.ListType => nested(LakeType.ListType, list.fields.asScala.toVector, path)
      case map: Types.MapType => nested(LakeType.MapType, map.fields.asScala.toVector, path)
      case other =>
        val known = primitive(other)
        val problem = Option.when(known.isEmpty) {
          s"column `${path.mkString(".")}` has the type $other"
        }
        (known.getOrElse(LakeType.Varchar), Vector.empty[Column], problem.toVector)
    }
    val isNullable = field.isOptional || above.nonEmpty
    val bare =
      Column(
        ColumnId(field.fieldId.toLong),
        field.name,
        lakeType,
        isNullable,
        None,
        None,
        Option(field.doc).filter(_.nonEmpty),
        children,
      )
    val (whole, unusable) = withDefaults(bare, field, path)
    (whole, refused ++ unusable)
  }

  private def nested(
      lakeType: LakeType,
      fields: Vector[Types.NestedField],
      path: Vector[String],
  ): (LakeType, Vector[Column], Vector[String]) = {
    val found = fields.map(column(_, path))
    (lakeType, found.map(_._1), found.flatMap(_._2))
  }

  /** Defaults of parts of columns are refused. */
  private def withDefaults(
      bare: Column,
      field: Types.NestedField,
      path: Vector[String],
  ): (Column, Vector[String]) = {
    val initial = Option(field.initialDefault)
    val written = Option(field.writeDefault)
    val initialText = initial.flatMap(text(_, bare.dataType))
    val writtenText = written.flatMap(text(_, bare.dataType))
    val isKept = initialText.size == initial.size && writtenText.size == written.size
    if (initial.isEmpty && written.isEmpty) (bare, Vector.empty)
    else if (path.size > 1 || !isKept)
      (bare, Vector(s"column `${path.mkString(".")}` has a default that a lake cannot keep"))
    else {
      val default = writtenText.map(ColumnDefault.LiteralText(_))
      (bare.copy(initialDefault = initialText, default = default), Vector.empty)
    }
  }

  private def text(value: Object, lakeType: LakeType): Option[String] = lakeType match {
    case known: LakeType.Primitive =>
      IcebergValues.literal(value, known).flatMap(ValueText.print(_, known))
    case _: LakeType.Nested => None
  }

  /** None for types that lakes do not have, or whose files DuckDB reads in another way. */
  def primitive(iceberg: Type): Option[LakeType.Primitive] = iceberg match {
    case decimal: Types.DecimalType => Some(LakeType.Decimal(decimal.precision, decimal.scale))
    case time: Types.TimestampType =>
      Some(if (time.shouldAdjustToUTC) LakeType.TimestampTz else LakeType.Timestamp)
    case time: Types.TimestampNanoType if !time.shouldAdjustToUTC => Some(LakeType.TimestampNs)
    case other =>
      PartialFunction.condOpt(other.typeId) {
        case Type.TypeID.BOOLEAN => LakeType.Bool
        case Type.TypeID.INTEGER => LakeType.Int32
        case Type.TypeID.LONG => LakeType.Int64
        case Type.TypeID.FLOAT => LakeType.Float32
        case Type.TypeID.DOUBLE => LakeType.Float64
        case Type.TypeID.DATE => LakeType.Date
        case Type.TypeID.TIME => LakeType.Time
        case Type.TypeID.STRING => LakeType.Varchar
        case Type.TypeID.UUID => LakeType.Uuid
        case Type.TypeID.BINARY => LakeType.Blob
      }
  }
}
