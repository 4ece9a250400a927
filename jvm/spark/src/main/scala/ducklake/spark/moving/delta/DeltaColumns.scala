package ducklake.spark.moving.delta

import ducklake.catalog.types.Column
import ducklake.catalog.types.ColumnId
import ducklake.catalog.types.LakeType
import ducklake.spark.moving.NewIds
import io.delta.kernel.types.ArrayType
import io.delta.kernel.types.BinaryType
import io.delta.kernel.types.BooleanType
import io.delta.kernel.types.ByteType
import io.delta.kernel.types.DataType
import io.delta.kernel.types.DateType
import io.delta.kernel.types.DecimalType
import io.delta.kernel.types.DoubleType
import io.delta.kernel.types.FloatType
import io.delta.kernel.types.IntegerType
import io.delta.kernel.types.LongType
import io.delta.kernel.types.MapType
import io.delta.kernel.types.ShortType
import io.delta.kernel.types.StringType
import io.delta.kernel.types.StructField
import io.delta.kernel.types.StructType
import io.delta.kernel.types.TimestampNTZType
import io.delta.kernel.types.TimestampType

import scala.jdk.CollectionConverters.ListHasAsScala

/** The columns of a table of Delta as columns of a lake.
  *
  * @param columns with the ids of the column mapping, and new ids where it has none
  * @param stored the same columns with the names that files have
  * @param ids the names in files by field id, of columns and of fields of structs
  * @param lastColumn the greatest id that a column has, or had
  * @param refused what a lake has not, by the path of the column
  * @param definitions what a lake has not, and the present rows do not need
  */
private[delta] final case class DeltaColumns(
    columns: Vector[Column],
    stored: Vector[Column],
    ids: Map[Int, String],
    lastColumn: ColumnId,
    refused: Vector[String],
    definitions: Vector[String],
)

private[delta] object DeltaColumns {

  /** @param lastId the greatest id that the column mapping ever gave, 0 without a mapping */
  def of(schema: StructType, lastId: Long): DeltaColumns = {
    val found = schema.fields.asScala.toVector.map(field(_, Vector.empty, isTop = true))
    val names = found.flatMap(_.names).toMap
    val first = (lastId +: names.keys.map(_.toLong).toVector).max + 1
    val (columns, next) = NewIds.withIds(found.map(_.logical), first)
    val (stored, _) = NewIds.withIds(found.map(_.physical), first)
    DeltaColumns(
      columns,
      stored,
      names,
      ColumnId(next - 1),
      found.flatMap(_.refused),
      found.flatMap(_.definitions),
    )
  }

  /** The name of a column in files. */
  def physicalName(field: StructField): String =
    Option(field.getMetadata.getString(PhysicalName)).getOrElse(field.getName)

  private val PhysicalName = "delta.columnMapping.physicalName"
  private val Id = "delta.columnMapping.id"

  /** A column with its parts. Ids of the column mapping are known, others are given later. */
  private final case class Found(
      logical: Column,
      physical: Column,
      names: Vector[(Int, String)],
      refused: Vector[String],
      definitions: Vector[String],
  )

  private def field(field: StructField, above: Vector[String], isTop: Boolean): Found = {
    val name = physicalName(field)
    val found =
      part(
        field.getName,
        name,
        field.getDataType,
        above :+ field.getName,
        field.isNullable || !isTop,
      )
    val id = Option(field.getMetadata.getLong(Id)).map(number => Math.toIntExact(number) -> name)
    val comment = Option(field.getMetadata.getString("comment")).filter(_.nonEmpty)
    val number = id.fold(NewIds.none) { case (known, _) => ColumnId(known.toLong) }
    found.copy(
      logical = found.logical.copy(id = number, comment = comment),
      physical = found.physical.copy(id = number),
      names = id.toVector ++ found.names,
      definitions = DeltaDefinitions.of(field, above :+ field.getName) ++ found.definitions,
    )
  }

  private def part(
      name: String,
      stored: String,
      delta: DataType,
      path: Vector[String],
      isNullable: Boolean,
  ): Found = {
    val text = path.mkString(".")
    val (lakeType, children, refused) = delta match {
      case struct: StructType =>
        val fields = struct.fields.asScala.toVector.map(field(_, path, isTop = false))
        (LakeType.StructType, fields, Vector.empty)
      case array: ArrayType =>
        (LakeType.ListType, Vector(inner("element", array.getElementType, path)), Vector.empty)
      case map: MapType =>
        val parts =
          Vector(inner("key", map.getKeyType, path), inner("value", map.getValueType, path))
        (LakeType.MapType, parts, Vector.empty)
      case other =>
        val known = primitive(other)
        val problem = Option.when(known.isEmpty)(s"column `$text` has the type $other")
        (known.getOrElse(LakeType.Varchar), Vector.empty, problem.toVector)
    }
    def column(named: String, of: Found => Column): Column =
      Column(NewIds.none, named, lakeType, isNullable, None, None, None, children.map(of))
    Found(
      column(name, _.logical),
      column(stored, _.physical),
      children.flatMap(_.names),
      refused ++ children.flatMap(_.refused),
      DeltaDefinitions.ofType(delta, text) ++ children.flatMap(_.definitions),
    )
  }

  private def inner(name: String, delta: DataType, path: Vector[String]): Found =
    part(name, name, delta, path :+ name, isNullable = true)

  /** None for types that lakes do not have. */
  private def primitive(delta: DataType): Option[LakeType.Primitive] =
    PartialFunction.condOpt(delta) {
      case _: BooleanType => LakeType.Bool
      case _: ByteType => LakeType.Int8
      case _: ShortType => LakeType.Int16
      case _: IntegerType => LakeType.Int32
      case _: LongType => LakeType.Int64
      case _: FloatType => LakeType.Float32
      case _: DoubleType => LakeType.Float64
      case decimal: DecimalType => LakeType.Decimal(decimal.getPrecision, decimal.getScale)
      case _: DateType => LakeType.Date
      case _: TimestampType => LakeType.TimestampTz
      case _: TimestampNTZType => LakeType.Timestamp
      case _: StringType => LakeType.Varchar
      case _: BinaryType => LakeType.Blob
    }
}
